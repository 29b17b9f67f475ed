// JsonStream: writes a JSON document value by value.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JSON_STREAM_H_
#define GGUF_CONFORMANCE_REPORT_JSON_STREAM_H_

#include <ostream>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/json/json_text.h"

namespace gguf {

// Writes JSON indented by two spaces.  Calls follow the document: every Begin
// has an End, and in an object each value has a Key().
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

#endif  // GGUF_CONFORMANCE_REPORT_JSON_STREAM_H_
