// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/testing/json_schema.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "re2/re2.h"

namespace gguf {

using nlohmann::json;

SchemaChecker::SchemaChecker(json schema) : schema_(std::move(schema)) {}

SchemaChecker SchemaChecker::FromFile(const std::string& path) {
  std::ifstream file(path);
  return SchemaChecker(json::parse(file));
}

std::vector<std::string> SchemaChecker::Violations(const json& document) {
  violations_.clear();
  Check(schema_, document, "");
  return violations_;
}

void SchemaChecker::Complain(const std::string& at, const std::string& what) {
  violations_.push_back(absl::StrCat(at, ": ", what));
}

void SchemaChecker::Check(const json& schema, const json& value,
                          const std::string& at) {
  for (const auto& [keyword, wanted] : schema.items()) {
    if (keyword == "$ref") {  // "#/$defs/name"
      const json::json_pointer place(wanted.get<std::string>().substr(1));
      Check(schema_.at(place), value, at);
    } else if (keyword == "type") {
      CheckType(wanted, value, at);
    } else if (keyword == "enum") {
      if (std::find(wanted.begin(), wanted.end(), value) == wanted.end()) {
        Complain(at, absl::StrCat(value.dump(), " is none of the values"));
      }
    } else if (keyword == "minimum") {
      if (value.is_number() && value < wanted) Complain(at, "is too small");
    } else if (keyword == "pattern") {
      if (value.is_string() && !RE2::PartialMatch(value.get<std::string>(),
                                                  wanted.get<std::string>())) {
        Complain(at, "does not match the pattern");
      }
    } else if (keyword == "items") {
      for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
        Check(wanted, value[i], absl::StrCat(at, "/", i));
      }
    } else if (keyword == "required") {
      for (const std::string name : wanted) {
        if (value.is_object() && !value.contains(name)) {
          Complain(at, absl::StrCat(name, " is missing"));
        }
      }
    } else if (keyword == "properties" || keyword == "additionalProperties") {
      if (value.is_object()) CheckMembers(keyword, schema, value, at);
    } else if (keyword != "$schema" && keyword != "$defs" &&
               keyword != "title" && keyword != "description") {
      Complain(at, absl::StrCat("keyword ", keyword, " is not supported"));
    }
  }
}

void SchemaChecker::CheckType(const json& wanted, const json& value,
                              const std::string& at) {
  const std::string type =
      value.is_number_integer() ? "integer" : value.type_name();
  const json types = wanted.is_array() ? wanted : json::array({wanted});
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    Complain(at, absl::StrCat("is of type ", type));
  }
}

void SchemaChecker::CheckMembers(const std::string& keyword, const json& schema,
                                 const json& value, const std::string& at) {
  const json named = schema.value("properties", json::object());
  for (const auto& [name, member] : value.items()) {
    const bool is_named = named.contains(name);
    if (is_named != (keyword == "properties")) continue;
    const json& rule = is_named ? named[name] : schema[keyword];
    if (rule == false) {
      Complain(at, absl::StrCat(name, " is unknown"));
    } else {
      Check(rule, member, absl::StrCat(at, "/", name));
    }
  }
}

}  // namespace gguf
