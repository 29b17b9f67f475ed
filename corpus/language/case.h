// Case: a file of corpus/cases, with its description, bytes and expectation; and the tables beside
// the cases.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_CASE_H_
#define GGUF_CORPUS_LANGUAGE_CASE_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/language/document.h"

namespace gguf::corpus {

enum class Verdict { kValid, kInvalid, kEither };

// "valid", "invalid", "either".
absl::string_view VerdictName(Verdict verdict);

// One line of an expectation; `rule` is empty for "none" and "incomplete".
struct ExpectedFinding {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string severity;
  std::string rule;

  bool operator==(const ExpectedFinding& other) const {
    return offset == other.offset && length == other.length && severity == other.severity &&
           rule == other.rule;
  }
};

// The expected output of `ggufcheck check --profile` for the case.
struct Expectation {
  std::string profile;
  bool incomplete = false;
  std::vector<ExpectedFinding> findings;
  std::vector<std::string> causes = {};  // Their kinds.
};

struct Case {
  std::string id;       // "tensors/invalid-offset-not-aligned"
  std::string section;  // "tensors"
  Verdict verdict = Verdict::kValid;

  std::string title;
  std::string why;
  std::string level = "must";
  std::string importance = "major";
  std::vector<std::string> flags;
  std::string clause;
  std::vector<std::string> references;
  std::string scope = "container";
  std::string base;  // An id, or empty.
  std::string file_name;
  std::vector<std::string> set;  // Ids: the other shards of the model.
  bool weights = false;          // Is checked with --weights.
  std::string base_model;        // Is checked with --base: an id, or empty.
  uint64_t budget_ms = 1000;
  uint64_t budget_mib = 64;

  Document document;  // The base's statements with the edits applied.
  int edits = 0;      // Statements of a case with a base.
  std::vector<Expectation> expectations;
  std::string dump;  // Empty: none stated.
};

// Returns the text of the case with this id, or an error.
using Loader = std::function<absl::StatusOr<std::string>(absl::string_view id)>;

// Reads a case; `load` fetches the bases.  Errors name line and column.
absl::StatusOr<Case> ReadCase(absl::string_view id, absl::string_view text, const Loader& load);

// Like ReadCase, for any text of the language: front matter is optional, and
// the name need not be that of a case.
absl::StatusOr<Case> ReadText(absl::string_view text, const Loader& load);

// Returns the text of a case with its expectation (and dump, unless empty)
// replaced.
std::string ReplaceExpectation(absl::string_view text, const std::vector<Expectation>& expectations,
                               absl::string_view dump);

// The suffix of a case's file name after its id.
constexpr char kCaseSuffix[] = ".gguft";

// The files below a folder of cases; sorted.
struct CaseFiles {
  std::vector<std::string> ids;          // Of regular files.
  std::vector<std::string> not_regular;  // Named like cases, but not files.
  std::vector<std::string> others;       // Paths of other files.
};
absl::StatusOr<CaseFiles> FindCaseFiles(const std::string& folder);

// Returns the sorted ids of all cases below `folder` ("corpus/cases"); and a
// loader of cases, whose errors name the path.
absl::StatusOr<std::vector<std::string>> ListCases(const std::string& folder);
Loader FolderLoader(const std::string& folder);

// The two tables beside the cases: flags.tsv has the words on which the verdict
// of an either- case depends, retired.tsv the ids that are no longer in use.

struct Flag {
  std::string name;
  std::string meaning;
};

// Returns the flags in file order.  Errors name the file, and a line that is
// not "name<TAB>meaning" or repeats a name.
absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path);

// Returns the ids in a file of "id<TAB>reason", which may be missing.
absl::StatusOr<std::set<std::string>> ReadRetired(const std::string& path);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_CASE_H_
