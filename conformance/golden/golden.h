// Golden: runs the validator on a case of the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GOLDEN_GOLDEN_H_
#define GGUF_CONFORMANCE_GOLDEN_GOLDEN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/golden/case_bytes.h"
#include "conformance/rules/file_report.h"
#include "conformance/rules/readers.h"
#include "corpus/language/case.h"

namespace gguf {

// The file of a case and those of the other shards of its set.
struct CaseFiles {
  // `load` fetches the shards.  Error: their names do not belong to one set.
  static absl::StatusOr<CaseFiles> Make(const corpus::Case& a_case, const corpus::Loader& load);

  struct NamedFile {
    std::string name;
    CaseBytes content;
  };
  std::vector<NamedFile> files;  // The case's own file first.
};

// Returns the report of this profile on the file of the case, without findings
// of rules about models for scope container.  The profile must exist.
FileReport CheckCase(const corpus::Case& a_case, const CaseFiles& files, absl::string_view profile);

// The findings of a report, as an expectation of this profile lists them.
corpus::Expectation ExpectationOf(const FileReport& report, absl::string_view profile);

// The same of CheckCase.
corpus::Expectation Observe(const corpus::Case& a_case, const CaseFiles& files,
                            absl::string_view profile);

// Returns the predictions about the case, beside its base or its set, if it has one.
std::vector<ReaderVerdict> Verdicts(const corpus::Case& a_case, const CaseFiles& files);

// Returns the predicted effect of the case on each reader, in the order of readers.tsv: the first
// letter of its word, such as "a" for accepts.
std::string Predictions(const corpus::Case& a_case, const CaseFiles& files);

// Returns the canonical dump; ObserveDump returns the digest of a long one.
std::string DumpOf(Bytes bytes);
std::string ObserveDump(Bytes bytes);

// Returns the path of a file of the project: in the workspace under `bazel run`, otherwise in the
// current directory.
std::string ProjectPath(absl::string_view path);
std::string CasesFolder();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GOLDEN_GOLDEN_H_
