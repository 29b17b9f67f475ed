// Writes brackets, commas and indents.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json_stream.h"

#include <string>

#include "absl/strings/str_replace.h"

namespace gguf {

void JsonStream::Begin(char opening, char closing) {
  Next();
  out_ << opening;
  levels_.push_back({closing, true});
}

void JsonStream::End() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty) BreakLine();
  out_ << level.closing;
  if (levels_.empty()) out_ << '\n';
}

void JsonStream::Key(absl::string_view name) {
  Next();
  out_ << JsonString(name) << ": ";
  after_key_ = true;
}

void JsonStream::Value(const Json& json) {
  Next();
  // Line breaks inside strings are escaped, so all line breaks are between
  // values.
  const std::string indent(2 * levels_.size(), ' ');
  out_ << absl::StrReplaceAll(JsonText(json, 2), {{"\n", "\n" + indent}});
}

void JsonStream::Members(const Json& object) {
  for (const auto& member : object.items()) {
    Key(member.key());
    Value(member.value());
  }
}

void JsonStream::Next() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  if (!levels_.back().empty) out_ << ',';
  levels_.back().empty = false;
  BreakLine();
}

void JsonStream::BreakLine() {
  out_ << '\n' << std::string(2 * levels_.size(), ' ');
}

}  // namespace gguf
