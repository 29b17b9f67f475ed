// Golden: what the validator says of a case of the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GOLDEN_GOLDEN_H_
#define GGUF_CONFORMANCE_GOLDEN_GOLDEN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/run/case_bytes.h"
#include "corpus/language/case.h"
#include "parser/core/bytes.h"

namespace gguf {

// The file of a case, and those of the other shards of its set.
struct CaseFiles {
  // `load` fetches the shards.  An error when their names are not of one set.
  static absl::StatusOr<CaseFiles> Make(const corpus::Case& a_case,
                                        const corpus::Loader& load);

  struct NamedFile {
    std::string name;
    CaseBytes content;
  };
  std::vector<NamedFile> files;  // That of the case first.
};

// What a check with this profile finds in the file of the case; for one of
// scope container without rules about models.  The profile must exist.
corpus::Expectation Observe(const corpus::Case& a_case, const CaseFiles& files,
                            absl::string_view profile);

// The canonical dump, or, of a long one, its digest.
std::string ObserveDump(Bytes bytes);

// The folder of the cases: of the workspace under `bazel run`, else that of the
// current directory.
std::string CasesFolder();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GOLDEN_GOLDEN_H_
