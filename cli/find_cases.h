// Where a checkout has the cases of the corpus, and its list of readers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_FIND_CASES_H_
#define GGUF_CLI_FIND_CASES_H_

#include <string>

#include "absl/status/statusor.h"

namespace gguf {

// `folder`, or when that is empty the nearest corpus/cases of the current
// folder and those above it, as a relative path.  NotFound says what to do.
absl::StatusOr<std::string> FindCases(const std::string& folder);

// For the bases of a text: `folder`; or else, of a text below a folder "cases",
// as cases are, that folder; or else as FindCases.
absl::StatusOr<std::string> FindCasesFor(const std::string& text_path,
                                         const std::string& folder);

// `path`, or when that is empty the nearest conformance/readers/readers.toml of
// the current folder and those above it.  NotFound says what to do.
absl::StatusOr<std::string> FindReadersFile(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CLI_FIND_CASES_H_
