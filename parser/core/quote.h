// Quote: the only way for text from a file to enter a message; and Visible, for
// messages and texts whose parts are not quoted.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_QUOTE_H_
#define GGUF_PARSER_CORE_QUOTE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

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

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_QUOTE_H_
