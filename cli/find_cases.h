// Finds the corpus's cases and the list of readers in a checkout.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_FIND_CASES_H_
#define GGUF_CLI_FIND_CASES_H_

#include <string>

#include "absl/status/statusor.h"

namespace gguf {

// Returns `folder`; when it is empty, the relative path of the nearest
// corpus/cases in the current folder or its parents, or of the cases in the
// archive of the corpus, if that is the current folder.  NotFound explains what
// to do.
absl::StatusOr<std::string> FindCases(const std::string& folder);

// Returns the folder with the bases of a text: `folder` if not empty; else the
// folder "cases" that contains the text, if any; else as FindCases.
absl::StatusOr<std::string> FindCasesFor(const std::string& text_path, const std::string& folder);

// Returns `path`; when it is empty, the nearest
// conformance/readers/readers.toml in the current folder or its
// parents.  NotFound explains what to do.
absl::StatusOr<std::string> FindReadersFile(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CLI_FIND_CASES_H_
