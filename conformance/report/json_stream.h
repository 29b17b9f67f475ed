// JsonStream: a JSON document that is written while its values come to be.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JSON_STREAM_H_
#define GGUF_CONFORMANCE_REPORT_JSON_STREAM_H_

#include <ostream>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/json/json_text.h"

namespace gguf {

// Indented by two.  Calls follow the document: every Begin has an End,
// in an object each value has a Key().
class JsonStream {
 public:
  explicit JsonStream(std::ostream& out) : out_(out) {}  // Outlives us.

  void BeginObject() { Begin('{', '}'); }
  void BeginArray() { Begin('[', ']'); }
  void End();

  void Key(absl::string_view name);
  void Value(const Json& json);
  // A key and a value for each member of `object`.
  void Members(const Json& object);

 private:
  void Begin(char opening, char closing);
  // Separates what comes from what there is.
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
