// The requirements, one function each.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/lint.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "corpus/export/collection.h"
#include "corpus/export/export.h"
#include "corpus/export/manifest.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

namespace gguf::corpus {
namespace {

// Takes what is wrong with a case, and what to do.
using Complain = absl::FunctionRef<void(absl::string_view)>;

constexpr absl::string_view kSections[] = {"header",  "metadata", "tensors",   "layout",
                                           "weights", "model",    "tokenizer", "template",
                                           "shards",  "adapters", "legacy"};

void CheckId(const Case& source, Complain complain) {
  if (std::find(std::begin(kSections), std::end(kSections), source.section) ==
      std::end(kSections)) {
    complain(absl::StrCat("unknown section ", source.section,
                          "; move the case to one of: ", absl::StrJoin(kSections, " ")));
  }
  const bool portable = std::all_of(source.id.begin(), source.id.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-' || c == '_' || c == '/';
  });
  if (!portable) {
    complain("the name has characters other than a-z, 0-9, - and _; rename it");
  }
}

void CheckTexts(const Case& source, Complain complain) {
  std::vector<std::string> texts = source.references;
  texts.insert(texts.end(),
               {source.title, source.why, source.clause, source.file_name, source.dump});
  for (const std::string& text : texts) {
    if (!FitsManifest(text)) {
      complain(
          "a string in the front matter or the dump is not UTF-8, which the manifest requires; "
          "write it in UTF-8");
      return;
    }
  }
}

void CheckFlags(const Case& source, const std::vector<Flag>& flags, Complain complain) {
  std::set<std::string> seen;
  for (const std::string& name : source.flags) {
    const bool known = std::any_of(flags.begin(), flags.end(),
                                   [&](const Flag& flag) { return flag.name == name; });
    if (!known) {
      complain(absl::StrCat("unknown flag ", name, "; use a flag of flags.tsv, or add it there"));
    }
    if (!seen.insert(name).second) {
      complain(absl::StrCat("has the flag ", name, " twice; remove one of them"));
    }
  }
  if (source.verdict == Verdict::kEither && source.flags.empty()) {
    complain("is an either- case without flags; add those on which the verdict depends");
  }
}

void CheckExpectation(const Case& source, Complain complain) {
  const auto upload = std::find_if(source.expectations.begin(), source.expectations.end(),
                                   [](const Expectation& e) { return e.profile == "upload"; });
  if (upload == source.expectations.end()) {
    complain(
        "has no expectation for the profile upload; run //conformance/golden:golden_test with "
        "--update");
    return;
  }
  const auto has_error = [](const Expectation& e) {
    return std::any_of(e.findings.begin(), e.findings.end(),
                       [](const ExpectedFinding& f) { return f.severity == "error"; });
  };
  // What upload allows may still harm a careless reader.
  const bool is_unsafe =
      std::any_of(source.expectations.begin(), source.expectations.end(),
                  [&](const Expectation& e) { return e.profile == "safety" && has_error(e); });
  if (source.verdict == Verdict::kInvalid && !has_error(*upload) && !is_unsafe &&
      !upload->incomplete) {
    complain(
        "is an invalid- case in which neither upload nor safety finds an error; a rule is missing, "
        "or the verdict is wrong");
  }
  if (source.verdict == Verdict::kValid && has_error(*upload)) {
    complain("is a valid- case in which upload finds an error; a rule or the verdict is wrong");
  }
}

void CheckDump(const Case& source, Complain complain) {
  if (source.verdict == Verdict::kValid && source.dump.empty()) {
    complain("is a valid- case without a dump; run //conformance/golden:golden_test with --update");
  }
}

void CheckCase(const Case& source, const std::vector<Flag>& flags, Complain complain) {
  CheckId(source, complain);
  CheckTexts(source, complain);
  CheckFlags(source, flags, complain);
  CheckExpectation(source, complain);
  CheckDump(source, complain);
}

class Linter {
 public:
  explicit Linter(const std::string& cases) : cases_(cases) {}

  std::vector<std::string> Run();

 private:
  void Complain(const std::string& path, absl::string_view what) {
    complaints_.push_back(absl::StrCat(path, ": ", what));
  }
  void ComplainOf(const BuiltCase& built, absl::string_view what) {
    Complain(CasePath(cases_, built.source.id), what);
  }

  // Returns whether everything could be read.
  bool Read();
  void CheckFlagsUsed();
  // Checks that no two cases have the same `key`; skips an empty one.
  template <class Key>
  void CheckUnique(Key key, absl::string_view what);
  void CheckManifest();
  void CheckExport();

  const std::string cases_;
  Collection collection_;
  std::vector<std::string> complaints_;
};

// Returns the id without its verdict: "tensors/offset-not-aligned".
std::string BareId(const BuiltCase& built) {
  const size_t prefix = VerdictName(built.source.verdict).size() + 1;
  return absl::StrCat(built.source.section, "/",
                      built.source.id.substr(built.source.section.size() + 1 + prefix));
}

// Returns the input that a reader gets; empty if it has no digest.
std::string Shown(const BuiltCase& built) {
  if (!built.sha256) return "";
  return absl::StrCat(*built.sha256, built.source.weights ? " --weights " : " ",
                      built.source.base_model, " ", built.source.file_name, " ",
                      absl::StrJoin(built.source.set, " "));
}

// Returns complaints about ids: those in the old manifest that are neither a
// case nor retired, and those that are both a case and retired.
absl::StatusOr<std::vector<std::string>> ComplaintsOfIds(const std::string& cases,
                                                         const std::vector<std::string>& old_ids,
                                                         const Collection& collection) {
  const auto retired = ReadRetired(Beside(cases, "retired.tsv"));
  if (!retired.ok()) return retired.status();
  std::vector<std::string> complaints;
  std::set<std::string> ids;
  for (const BuiltCase& built : collection.cases) {
    const std::string& id = built.source.id;
    ids.insert(id);
    if (retired->count(id) == 0) continue;
    complaints.push_back(absl::StrCat(
        CasePath(cases, id), ": is in retired.tsv, and ids are never reused; rename the case"));
  }
  for (const std::string& id : old_ids) {
    if (ids.count(id) > 0 || retired->count(id) > 0) continue;
    complaints.push_back(
        absl::StrCat(CasePath(cases, id),
                     ": is in the committed manifest.json, but the case is missing, and ids never "
                     "change; restore the case, or give the reason in retired.tsv"));
  }
  return complaints;
}

std::vector<std::string> Linter::Run() {
  const bool whole = Read();
  for (const BuiltCase& built : collection_.cases) {
    CheckCase(built.source, collection_.flags,
              [&](absl::string_view what) { ComplainOf(built, what); });
  }
  CheckUnique(BareId, "differs only in its verdict from");
  CheckUnique([](const BuiltCase& built) { return built.source.title; }, "has the same title as");
  CheckUnique(Shown, "has the same bytes, options, file_name and set as");
  if (!whole) return std::move(complaints_);  // The rest would repeat the same faults.
  CheckFlagsUsed();
  CheckManifest();
  CheckExport();
  return std::move(complaints_);
}

bool Linter::Read() {
  const auto files = FindCaseFiles(cases_);
  if (!files.ok()) {
    complaints_.emplace_back(files.status().message());
    return false;
  }
  for (const std::string& path : files->others) {
    Complain(path, "is not a case; remove it, or rename it to end in .gguft");
  }
  for (const std::string& path : files->not_regular) {
    Complain(path, "not a regular file; remove it");
  }
  const auto flags = ReadFlags(Beside(cases_, "flags.tsv"));
  if (flags.ok()) {
    collection_.flags = *flags;
  } else {
    complaints_.emplace_back(flags.status().message());
  }
  for (const std::string& id : files->ids) {
    auto built = BuildCase(cases_, id);
    if (built.ok()) {
      collection_.cases.push_back(*std::move(built));
    } else {
      complaints_.emplace_back(built.status().message());
    }
  }
  if (files->ids.empty()) {
    Complain(cases_, "no cases found; name another folder");
  }
  return flags.ok() && !files->ids.empty() && collection_.cases.size() == files->ids.size();
}

void Linter::CheckFlagsUsed() {
  std::set<std::string> used;
  for (const BuiltCase& built : collection_.cases) {
    used.insert(built.source.flags.begin(), built.source.flags.end());
  }
  for (const Flag& flag : collection_.flags) {
    if (used.count(flag.name) > 0) continue;
    Complain(Beside(cases_, "flags.tsv"),
             absl::StrCat("no case has the flag ", flag.name, "; remove the flag or write a case"));
  }
}

template <class Key>
void Linter::CheckUnique(Key key, absl::string_view what) {
  std::map<std::string, std::string> seen;  // Value to its first id.
  for (const BuiltCase& built : collection_.cases) {
    const std::string value = key(built);
    if (value.empty()) continue;
    const auto [first, is_new] = seen.try_emplace(value, built.source.id);
    if (is_new) continue;
    ComplainOf(built, absl::StrCat(what, " ", first->second, "; remove or change one of them"));
  }
}

void Linter::CheckManifest() {
  const std::string path = Beside(cases_, kManifestName);
  const absl::StatusOr<std::string> committed = ReadFile(path);
  const std::string update = "; run ggufcheck corpus lint --update and review the difference";
  if (!committed.ok()) {
    complaints_.push_back(absl::StrCat(committed.status().message(), update));
    return;
  }
  const auto old_ids = ManifestIds(*committed);
  if (!old_ids) return Complain(path, absl::StrCat("is not a manifest", update));
  const auto more = ComplaintsOfIds(cases_, *old_ids, collection_);
  if (more.ok()) {
    complaints_.insert(complaints_.end(), more->begin(), more->end());
  } else {
    complaints_.emplace_back(more.status().message());
  }
  if (*committed != ManifestText(collection_)) {
    Complain(path, absl::StrCat("does not match the cases", update));
  }
}

void Linter::CheckExport() {
  const auto files = ExportedFiles(collection_, cases_);
  if (!files.ok()) {
    complaints_.emplace_back(files.status().message());
    return;
  }
  uint64_t size = 0;
  for (const auto& [name, contents] : *files) size += contents.size();
  if (size <= kLargestExport) return;
  Complain(cases_, absl::StrCat("a plain export has ", size, " bytes, but at most ", kLargestExport,
                                " are allowed; make the largest files smaller, or larger than 64 "
                                "KiB, so that they become recipes"));
}

}  // namespace

std::vector<std::string> Lint(const std::string& cases) { return Linter(cases).Run(); }

absl::Status UpdateManifest(const std::string& cases) {
  const absl::StatusOr<Collection> collection = ReadCollection(cases);
  if (!collection.ok()) return collection.status();
  const std::string path = Beside(cases, kManifestName);
  const absl::StatusOr<std::string> committed = ReadFile(path);
  const auto old_ids = committed.ok() ? ManifestIds(*committed) : std::nullopt;
  const auto complaints =
      ComplaintsOfIds(cases, old_ids.value_or(std::vector<std::string>()), *collection);
  if (!complaints.ok()) return complaints.status();
  if (!complaints->empty()) {
    return absl::FailedPreconditionError((*complaints)[0]);
  }
  Image image;
  image.Append(ManifestText(*collection));
  return WriteImage(image, path);
}

}  // namespace gguf::corpus
