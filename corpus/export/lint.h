// Lint: what must be true of the corpus as a whole, without a validator.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_EXPORT_LINT_H_
#define GGUF_CORPUS_EXPORT_LINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gguf::corpus {

// Bytes of a plain export.
constexpr uint64_t kLargestExport = 8 << 20;

// Complaints, each as "path: what is wrong; what to do".  A file that cannot be
// read is one of them.
std::vector<std::string> Lint(const std::string& cases);

// Writes manifest.json beside the folder of cases.  Errors name the path: a
// case that cannot be read, one that the old manifest has and that is gone, or
// one of retired.tsv that is not.
absl::Status UpdateManifest(const std::string& cases);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_EXPORT_LINT_H_
