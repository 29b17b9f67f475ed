// Writes JSON without characters that could affect a terminal or a log, or
// deceive a person.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JSON_JSON_TEXT_H_
#define GGUF_CONFORMANCE_JSON_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace gguf {

// Members keep their order.
using Json = nlohmann::ordered_json;

// Returns `text`, which must be valid UTF-8, as a JSON string with its quotes.
// Control characters, invisible characters and bidi controls become \u escapes,
// and so does the # of what CI systems execute (BeginsCommand in
// parser/core/utf8.h).
std::string JsonString(absl::string_view text);

// Returns the document on one line, or indented by `indent` spaces if that is
// not negative.  The same characters are escaped; bytes that are not UTF-8
// become U+FFFD.
std::string JsonText(const Json& json, int indent = -1);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_JSON_JSON_TEXT_H_
