// Members, with their types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json_members.h"

#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "parser/quote.h"
#include "parser/utf8.h"

namespace gguf {
namespace {

using Json = nlohmann::ordered_json;

bool IsPrintable(absl::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const uint32_t code_point = NextCodePoint(text, &at);
    if (IsControl(code_point) || IsInvisible(code_point)) return false;
  }
  return true;
}

}  // namespace

JsonMembers::JsonMembers(const Json& json, absl::Status* status)
    : json_(json), status_(*status) {
  if (!json.is_object()) Fail("", "is no object");
}

bool JsonMembers::Has(const char* name) const {
  return json_.is_object() && json_.contains(name) && !json_.at(name).is_null();
}

void JsonMembers::Read(const char* name, uint64_t* value) {
  const Json* json = Find(name);
  if (json == nullptr) return;
  if (!json->is_number_unsigned()) return Fail(name, "is no number");
  *value = json->get<uint64_t>();
}

void JsonMembers::Read(const char* name, uint32_t* value) {
  uint64_t number = 0;
  Read(name, &number);
  if (number > std::numeric_limits<uint32_t>::max()) {
    return Fail(name, "is too large");
  }
  *value = static_cast<uint32_t>(number);
}

void JsonMembers::ReadRaw(const char* name, std::string* value) {
  const Json* json = Find(name);
  if (json == nullptr) return;
  if (!json->is_string()) return Fail(name, "is no string");
  *value = json->get<std::string>();
}

void JsonMembers::Read(const char* name, std::string* value) {
  ReadRaw(name, value);
  if (!IsPrintable(*value)) Fail(name, "has a character that no report has");
}

void JsonMembers::Read(const char* name, std::vector<std::string>* values) {
  for (const Json& json : Array(name)) {
    if (!json.is_string() || !IsPrintable(json.get<std::string>())) {
      return Fail(name, "is no list of texts");
    }
    values->push_back(json.get<std::string>());
  }
}

void JsonMembers::ReadBytes(const std::string& name, std::string* value) {
  ReadRaw(name.c_str(), value);
  std::optional<std::string> hex;
  Read((name + "_hex").c_str(), &hex);
  if (hex) *value = absl::HexStringToBytes(*hex);
}

void JsonMembers::ReadRule(const Rule** rule) {
  std::string id;
  Read("rule", &id);
  *rule = FindRule(id);
  if (*rule == nullptr) {
    Fail("rule", absl::StrCat("is ", Quote(id), ", which is not known here"));
  }
}

void JsonMembers::ReadSeverity(const char* name, Severity* severity) {
  std::string text;
  Read(name, &text);
  for (const Severity one :
       {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (text != SeverityName(one)) continue;
    *severity = one;
    return;
  }
  Fail(name, "is no severity");
}

const Json& JsonMembers::Array(const char* name) {
  static const Json& none = *new Json(Json::array());
  if (!Has(name)) return none;
  if (json_.at(name).is_array()) return json_.at(name);
  Fail(name, "is no list");
  return none;
}

const Json& JsonMembers::Object(const char* name) {
  static const Json& none = *new Json(Json::object());
  const Json* json = Find(name);
  if (json == nullptr) return none;
  if (json->is_object()) return *json;
  Fail(name, "is no object");
  return none;
}

void JsonMembers::Fail(const char* name, absl::string_view what) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(absl::StrCat(name, " ", what));
}

const Json* JsonMembers::Find(const char* name) {
  if (!status_.ok()) return nullptr;
  if (json_.contains(name)) return &json_.at(name);
  Fail(name, "is missing");
  return nullptr;
}

}  // namespace gguf
