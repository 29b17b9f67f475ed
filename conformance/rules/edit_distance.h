// EditDistance: the distance between two words, to suggest what was meant.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_EDIT_DISTANCE_H_
#define GGUF_CONFORMANCE_RULES_EDIT_DISTANCE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// Returns the number of insertions, deletions and replacements between two
// words, or `limit` if there are at least that many.  Takes time proportional
// to the length of the shorter word times the lesser of `limit` and the length
// of the longer one.
size_t EditDistance(absl::string_view a, absl::string_view b, size_t limit = ~size_t{0});

// Returns the first of the words nearest to `word` if it is at most five edits
// away and `word` is probably a typo of it; else empty.
std::string ClosestWord(absl::string_view word, absl::Span<const absl::string_view> words);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_EDIT_DISTANCE_H_
