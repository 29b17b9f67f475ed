// Writes JSON without characters that could affect a terminal or a log, or
// deceive a person.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JSON_JSON_TEXT_H_
#define GGUF_CONFORMANCE_JSON_JSON_TEXT_H_

#include <ostream>
#include <string>
#include <vector>

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

// Writes a JSON document value by value, indented by two spaces.  Calls follow
// the document: every Begin has an End, and in an object each value has a
// Key().
class JsonStream {
 public:
  explicit JsonStream(std::ostream& out) : out_(out) {}  // Must outlive this.

  void BeginObject() { Begin('{', '}'); }
  void BeginArray() { Begin('[', ']'); }
  void End();

  void Key(absl::string_view name);
  void Value(const Json& json);
  // Writes a key and a value for each member of `object`.
  void Members(const Json& object);

 private:
  void Begin(char opening, char closing);
  // Separates the next value from the previous one.
  void Next();
  void BreakLine();

  struct Level {
    char closing;
    bool empty;
  };
  std::ostream& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_JSON_JSON_TEXT_H_
