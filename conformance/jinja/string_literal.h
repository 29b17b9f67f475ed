// DecodeString: the text that a string literal of a template stands for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_STRING_LITERAL_H_
#define GGUF_CONFORMANCE_JINJA_STRING_LITERAL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

// Of a literal with its quotes.  Escapes are Python's: \n, \x5f, \137, \u005f,
// \U0000005f, \N{LOW LINE} and so on.  An escape for a character beyond ASCII
// becomes a question mark, as does a \N with another name than those of ASCII's
// letters and the low line: no name of an attribute has them.  Where an escape
// has too few digits, which Python refuses, `*is_wrong` becomes true.
std::string DecodeString(absl::string_view literal, bool* is_wrong);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_STRING_LITERAL_H_
