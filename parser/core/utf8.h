// UTF-8 validation, and the code points that must not be printed raw.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_UTF8_H_
#define GGUF_PARSER_CORE_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace gguf {

// Decodes the code point at `text[*at]` and moves `*at` past it.  If the bytes
// are not well-formed UTF-8 (overlong, surrogate, above U+10FFFF, truncated),
// returns kBadCodePoint and advances by one byte.
constexpr uint32_t kBadCodePoint = 0xFFFFFFFF;
uint32_t NextCodePoint(absl::string_view text, size_t* at);

// Returns the offset of the first byte that is not part of well-formed UTF-8,
// or text.size() if there is none.
size_t ValidUtf8Prefix(absl::string_view text);

inline bool IsValidUtf8(absl::string_view text) { return ValidUtf8Prefix(text) == text.size(); }

// Returns true for C0 and C1 controls and DEL, which move cursors and start
// escape sequences.
bool IsControl(uint32_t code_point);

// Returns true for characters that reorder or hide the text around them: the
// bidirectional controls, zero-width characters, fillers that display as
// nothing, variation selectors, annotations, line and paragraph separators, the
// byte order mark and the tag block.
bool IsInvisible(uint32_t code_point);

// Returns whether `text` begins with the last # of ##[...] or ##vso[...], which
// CI systems execute wherever they see it in the output.
bool BeginsCommand(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_UTF8_H_
