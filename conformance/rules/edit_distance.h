// EditDistance: how far a word is from another, to guess what was meant.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_EDIT_DISTANCE_H_
#define GGUF_CONFORMANCE_RULES_EDIT_DISTANCE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// The number of insertions, deletions and replacements between two words; takes
// time with the product of their lengths.
size_t EditDistance(absl::string_view a, absl::string_view b);

// The first of the words that is nearest to `word`, when it is at most five
// steps away and `word` was probably meant to be it; else empty.
std::string ClosestWord(absl::string_view word,
                        absl::Span<const absl::string_view> words);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_EDIT_DISTANCE_H_
