// Writes brackets, commas and indents, and reads the members of records.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/text.h"

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

bool IsPrintable(absl::string_view text) { return Visible(text) == text; }

bool IsPrintable(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return IsPrintable(text); });
}

EncodedText::EncodedText(absl::string_view text) : shown(text) {
  if (IsValidUtf8(text)) return;
  shown = Escape(text, text.size());
  hex = absl::BytesToHexString(text);
}

Json RecordWriter::Value(const TextMap& texts) {
  Json json = Json::object();
  for (const auto& [name, text] : texts) json[name] = text;
  return json;
}

std::string RecordReader::Place::Path() const {
  const std::string before = outer != nullptr ? outer->Path() : "";
  if (name == nullptr) {
    return outer != nullptr ? absl::StrCat(before, "[", index, "]") : "";
  }
  return before.empty() ? name : absl::StrCat(before, ".", name);
}

const Json* RecordReader::Find(const char* name) const {
  if (!status_.ok()) return nullptr;
  const auto found = json_.find(name);
  return found != json_.end() ? &*found : nullptr;
}

void RecordReader::Fail(const Place& place, absl::string_view what) {
  if (!status_.ok()) return;
  const std::string path = place.Path();
  status_ = absl::InvalidArgumentError(absl::StrCat(path, path.empty() ? "" : " ", what));
}

void RecordReader::FailName(const Place& place, absl::string_view name) {
  Fail(place, absl::StrCat("is ", Quote(name), ", which is unknown"));
}

void RecordReader::CheckWord(const Json& json, const Place& place, Words words) {
  if (words.empty() || !status_.ok()) return;
  const auto& word = json.get_ref<const std::string&>();
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  Fail(place, absl::StrCat("is ", Quote(word), "; expected ", absl::StrJoin(words, " or ")));
}

void RecordReader::Value(const Json& json, const Place& place, std::string* value) {
  if (!json.is_string()) return Fail(place, "is not a string");
  *value = json.get<std::string>();
}

void RecordReader::Value(const Json& json, const Place& place, bool* value) {
  if (!json.is_boolean()) return Fail(place, "is not true or false");
  *value = json.get<bool>();
}

void RecordReader::Value(const Json& json, const Place& place, uint32_t* value) {
  uint64_t number = 0;
  Value(json, place, &number);
  if (number > std::numeric_limits<uint32_t>::max()) {
    return Fail(place, "is too large");
  }
  *value = static_cast<uint32_t>(number);
}

void RecordReader::Value(const Json& json, const Place& place, uint64_t* value) {
  if (!json.is_number_unsigned()) {
    return Fail(place, "is not an unsigned integer");
  }
  *value = json.get<uint64_t>();
}

void RecordReader::Value(const Json& json, const Place& place, double* value) {
  if (!json.is_number()) return Fail(place, "is not a number");
  *value = json.get<double>();
}

void RecordReader::Value(const Json& json, const Place& place, TextMap* texts) {
  if (!json.is_object()) return Fail(place, "is not an object");
  for (const auto& member : json.items()) {
    auto& [name, text] = texts->emplace_back(member.key(), "");
    Value(member.value(), {&place, name.c_str()}, &text);
  }
}

}  // namespace gguf
