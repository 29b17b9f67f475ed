// SPDX-License-Identifier: Apache-2.0

#include "conformance/json/record.h"

#include <algorithm>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "parser/core/quote.h"
#include "parser/core/utf8.h"

namespace gguf {

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
