// Escaping for the places that reports are shown in.
//
// Messages and subjects arrive already escaped (parser/quote.h).  These guard
// what does not: paths, and text from the file in JSON.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_ESCAPE_H_
#define GGUF_CONFORMANCE_REPORT_ESCAPE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// `text`, which is valid UTF-8, as a JSON string with its quotes.  Control,
// invisible and reordering characters become \u escapes.
std::string JsonString(absl::string_view text);

// A whole JSON document as some library wrote it, with the same characters
// escaped.  They stand only inside strings, so the document means the same.
std::string EscapeJsonDocument(absl::string_view json);

// Bytes as lower-case hex.
std::string Hex(absl::string_view bytes);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_ESCAPE_H_
