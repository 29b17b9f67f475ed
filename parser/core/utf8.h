// UTF-8: validity, and the code points that no output may show raw.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_UTF8_H_
#define GGUF_PARSER_CORE_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace gguf {

// Decodes the code point that starts at `text[*at]` and moves `*at` behind it.
// Where the bytes are not well-formed UTF-8 (overlong, surrogate, above
// U+10FFFF, cut off), returns kBadCodePoint and moves by one byte.
constexpr uint32_t kBadCodePoint = 0xFFFFFFFF;
uint32_t NextCodePoint(absl::string_view text, size_t* at);

// The offset of the first byte that is not part of well-formed UTF-8, or
// text.size() when all of it is.
size_t ValidUtf8Prefix(absl::string_view text);

inline bool IsValidUtf8(absl::string_view text) {
  return ValidUtf8Prefix(text) == text.size();
}

// C0 and C1 controls and DEL; they move cursors and start escape sequences.
bool IsControl(uint32_t code_point);

// Characters that reorder or hide the text around them: the bidirectional
// controls, zero-width characters, fillers that show as nothing, variation
// selectors, annotations, line and paragraph separators, the byte order mark
// and the tag block.
bool IsInvisible(uint32_t code_point);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_UTF8_H_
