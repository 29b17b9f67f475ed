// Texts: hex, UTF-8, quoting for messages, and words that are nearly the same.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_TEXT_H_
#define GGUF_CONFORMANCE_BASE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

// Decodes pairs of hexadecimal digits of either case, without separators.
// Returns nothing for other text.
std::optional<std::string> BytesFromHex(absl::string_view hex);

// UTF-8 validation, and the code points that must not be printed raw.

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

// Quote: the only way for text from a file to enter a message; and Visible, for
// messages and texts whose parts are not quoted.

// The longest text in a message, in bytes of the original.
constexpr size_t kQuotedBytes = 96;

// Returns `text` with every control character, invisible character and bidi
// control, every byte that is not UTF-8, and what CI systems execute
// (##[...], :: at its start) replaced by an escape: \n, \x1b, \u{202e}, #\x23[.
// Backslash and double quote are also escaped, so the escape is reversible.
// Text beyond `most` bytes is cut at a character boundary and replaced by "...
// (N bytes)".
std::string Escape(absl::string_view text, size_t most = kQuotedBytes);

// Returns Escape() in double quotes.
std::string Quote(absl::string_view text, size_t most = kQuotedBytes);

// Returns `text` in full, with the same characters escaped except backslash and
// quote.
std::string Visible(absl::string_view text);

// The same for multi-line text: newlines and tabs are kept.
std::string VisibleLines(absl::string_view text);

// Returns "1 error" or "2 errors".
std::string Count(uint64_t count, absl::string_view noun);

// EditDistance: the distance between two words, to suggest what was meant.

// Returns the number of insertions, deletions and replacements between two
// words, or `limit` if there are at least that many.  Takes time proportional
// to the length of the shorter word times the lesser of `limit` and the length
// of the longer one.
size_t EditDistance(absl::string_view a, absl::string_view b, size_t limit = ~size_t{0});

// Returns the first of the words nearest to `word`, whatever the case of their letters, if it is
// at most five edits away and `word` is probably a typo of it; else empty.
std::string ClosestWord(absl::string_view word, absl::Span<const absl::string_view> words);

// Returns "; did you mean WORD?" with that word, to end a message with; nothing if there is none
// or it is `word` itself.
std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> words);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_TEXT_H_
