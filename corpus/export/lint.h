// Lint: requirements on the corpus as a whole that need no validator.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_LINT_H_
#define GGUF_CORPUS_EXPORT_LINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gguf::corpus {

// The maximum size of a plain export in bytes.
constexpr uint64_t kLargestExport = 13 << 20;

// Returns complaints, each as "path: what is wrong; what to do".  A file that
// cannot be read is one of them.
std::vector<std::string> Lint(const std::string& cases);

// Writes manifest.json next to the folder of cases.  Errors name the path: a
// case that cannot be read, one in the old manifest that is missing, or one in
// retired.tsv that still exists.
absl::Status UpdateManifest(const std::string& cases);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_LINT_H_
