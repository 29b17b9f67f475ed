// Quote: the only way by which text from a file reaches a message; and Visible,
// for messages and texts whose parts nobody has quoted.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_QUOTE_H_
#define GGUF_PARSER_CORE_QUOTE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// The longest text that a message shows, in bytes of the original.
constexpr size_t kQuotedBytes = 96;

// `text` with every control, invisible and reordering character, and every
// byte that is not UTF-8, written as an escape: \n, \x1b, \u{202e}.  Backslash
// and double quote are escaped too, so the escape is reversible.  What exceeds
// `most` bytes is cut at a character and replaced by "... (N bytes)".
std::string Escape(absl::string_view text, size_t most = kQuotedBytes);

// Escape() in double quotes.
std::string Quote(absl::string_view text, size_t most = kQuotedBytes);

// All of `text`, with the same characters escaped but backslash and quote.  So
// nothing begins a line, which in a CI job's output could be a command.
std::string Visible(absl::string_view text);

// The same for a text of several lines: newlines and tabs stay.
std::string VisibleLines(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_QUOTE_H_
