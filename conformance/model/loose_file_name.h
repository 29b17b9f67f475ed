// File names that do not follow the naming convention, as publishers write
// them: "gemma-3-27b-it-UD-Q4_K_XL.gguf", "mixtral-8x7b-v0.1.Q4_K_M.gguf".
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_LOOSE_FILE_NAME_H_
#define GGUF_CONFORMANCE_MODEL_LOOSE_FILE_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/model/file_name.h"

namespace gguf {

// Returns the parts that can be told from a file's base name: Sidecar,
// SizeLabel and Encoding, the last part after a dash or a dot.  A part that may
// mean something else is left out; the encoding may be any word.
FileNameParts ParseLooseFileName(absl::string_view name);

// Replaces the dots between words by dashes, and keeps those of numbers:
// "llama-3.1-8b.Q4_K_M" -> "llama-3.1-8b-Q4_K_M".
std::string WithoutDots(absl::string_view name);

// Returns whether a size label is one: publishers write context lengths such as
// 4k in the same place, always in lower case.
bool IsSizeNotContext(absl::string_view label);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_LOOSE_FILE_NAME_H_
