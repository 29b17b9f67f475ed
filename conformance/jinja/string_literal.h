// DecodeString: decodes a string literal of a template.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_STRING_LITERAL_H_
#define GGUF_CONFORMANCE_JINJA_STRING_LITERAL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

// Decodes a literal with its quotes.  Escapes are Python's: \n, \x5f, \137,
// \u005f, \U0000005f, \N{LOW LINE} and so on.  An escape for a non-ASCII
// character becomes a question mark, as does a \N with a name other than those
// of ASCII letters and the low line: no attribute name contains them.  Sets
// `*is_wrong` if an escape has too few digits, which Python rejects.
std::string DecodeString(absl::string_view literal, bool* is_wrong);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_STRING_LITERAL_H_
