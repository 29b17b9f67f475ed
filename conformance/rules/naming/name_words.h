// The words of a file's name, between its dashes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_NAME_WORDS_H_
#define GGUF_CONFORMANCE_RULES_NAMING_NAME_WORDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns whether a word is a size label without attributes: "8x7B", not "4k".
bool IsSizeLabel(absl::string_view word);

// Returns whether a word is a version: "v1.0".
bool IsVersion(absl::string_view word);

// Returns a bit for each tensor type that an encoding stands for; 0 if it is
// not known.
uint64_t TypesOfWord(absl::string_view encoding);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_NAME_WORDS_H_
