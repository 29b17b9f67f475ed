// Writes brackets, commas and indents.
//
// Escapes strings, and writes brackets, commas and indents.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/json/json_text.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "parser/core/utf8.h"

namespace gguf {
namespace {

void AppendUnicodeEscape(uint32_t code_point, std::string* out) {
  if (code_point > 0xFFFF) {  // A surrogate pair.
    const uint32_t offset = code_point - 0x10000;
    absl::StrAppendFormat(out, "\\u%04x\\u%04x", 0xD800 + (offset >> 10),
                          0xDC00 + (offset & 0x3FF));
  } else {
    absl::StrAppendFormat(out, "\\u%04x", code_point);
  }
}

// Returns whether a byte is always shown raw.  '#' may begin a command; '"' and
// '\\' are for JsonString().
bool IsPlain(char c) { return c >= ' ' && c < 0x7F && c != '#' && c != '"' && c != '\\'; }

// Appends the text from `*at` on that is always shown raw, or else the code
// point there, escaped if it must not be.
void AppendShown(absl::string_view text, size_t* at, std::string* out) {
  const size_t begin = *at;
  while (*at < text.size() && IsPlain(text[*at])) ++*at;
  if (*at > begin) {
    absl::StrAppend(out, text.substr(begin, *at - begin));
    return;
  }
  const uint32_t code_point = NextCodePoint(text, at);
  if (IsControl(code_point) || IsInvisible(code_point) || BeginsCommand(text.substr(begin))) {
    AppendUnicodeEscape(code_point, out);
  } else {
    absl::StrAppend(out, text.substr(begin, *at - begin));
  }
}

}  // namespace

std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      ++at;
    } else {
      AppendShown(text, &at, &out);
    }
  }
  return out + '"';
}

std::string JsonText(const Json& json, int indent) {
  const std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      out += '\n';  // Between values: inside strings it is already escaped.
      ++at;
    } else {
      AppendShown(text, &at, &out);
    }
  }
  return out;
}

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

void JsonStream::BreakLine() { out_ << '\n' << std::string(2 * levels_.size(), ' '); }

}  // namespace gguf
