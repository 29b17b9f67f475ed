// Reads the values that a user asks to be written.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/fix/methods.h"
#include "conformance/fix/plan.h"
#include "conformance/tables/find_standard_key.h"
#include "nlohmann/json.hpp"

namespace gguf {
namespace {

absl::Status Wrong(absl::string_view flag, absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--", flag, " ", Quote(text), ": ", why));
}

// Returns the type of a name such as "u32" or "arr[str]": its bit in a TypeSet.
std::optional<int> TypeNamed(absl::string_view name) {
  const bool is_array = absl::ConsumePrefix(&name, "arr[") && absl::ConsumeSuffix(&name, "]");
  for (uint32_t id = 0; id <= static_cast<uint32_t>(ValueType::kF64); ++id) {
    const ValueTypeInfo* type = FindValueType(id, 3);
    if (type->type == ValueType::kArray || name != type->name) continue;
    return static_cast<int>(id) + (is_array ? kArrayBit : 0);
  }
  return std::nullopt;
}

// Reads a value of a type: a JSON value, or a text.
std::optional<KeyContent> Read(const std::string& text, int bit) {
  const auto type = static_cast<ValueType>(bit % kArrayBit);
  KeyContent content = {type, bit >= kArrayBit, {}, {}};
  if (type == ValueType::kString && !content.is_array) return KeyContent::Of(text);
  auto list = nlohmann::json::parse(text, nullptr, false);
  if (!content.is_array) list = nlohmann::json::array({list});
  if (!list.is_array()) return std::nullopt;
  for (const auto& element : list) {
    if (content.is_text() ? !element.is_string() : !element.is_number() && !element.is_boolean()) {
      return std::nullopt;
    }
    if (content.is_text()) content.texts.push_back(element.get<std::string>());
    if (element.is_boolean()) content.numbers.push_back(element.get<bool>());
    if (element.is_number_unsigned()) {
      content.numbers.push_back(element.get<uint64_t>());
    } else if (element.is_number_integer()) {
      content.numbers.push_back(element.get<int64_t>());
    }
    if (element.is_number_float()) content.numbers.push_back(element.get<double>());
  }
  return Converted(content, type, content.is_array);
}

absl::Status Set(const Wishes& wishes, const std::string& wish, const Model& model, Draft* draft) {
  const std::pair<std::string, std::string> key_value =
      absl::StrSplit(wish, absl::MaxSplits('=', 1));
  const auto& [key, text] = key_value;
  if (key.empty() || !absl::StrContains(wish, '=')) return Wrong("set", wish, "is not KEY=VALUE");
  std::vector<int> types;
  const KeyValue* kv = model.FindKey(key);
  if (!wishes.set_type.empty()) {
    const auto type = TypeNamed(wishes.set_type);
    if (!type) return Wrong("set-type", wishes.set_type, "is no type, such as u32 or arr[str]");
    types = {*type};
  } else {
    types = TypesOf(model, key);
    if (kv != nullptr && kv->depth <= 1) {
      const bool is_array = kv->element_type != nullptr;
      const ValueTypeInfo& type = is_array ? *kv->element_type : *kv->type;
      types.insert(types.begin(), static_cast<int>(type.type) + (is_array ? kArrayBit : 0));
    }
    if (types.empty()) return Wrong("set", wish, "the key is not known; state --set-type");
  }
  for (const int type : types) {
    const auto content = Read(text, type);
    if (!content) continue;
    draft->Set(key, *content);
    return absl::OkStatus();
  }
  return Wrong("set", wish, "the value does not have the key's type");
}

absl::Status SetToken(const std::string& wish, const Model& model, Draft* draft) {
  const std::pair<std::string, std::string> name_text =
      absl::StrSplit(wish, absl::MaxSplits('=', 1));
  const std::string& name = name_text.first;
  const std::string key =
      absl::StrContains(name, '.') ? name : absl::StrCat("tokenizer.ggml.", name, "_token_id");
  if (FindStandardKey(key, "") == nullptr) {
    return Wrong("set-token", wish,
                 "is not NAME=TEXT with a NAME such as eos, bos, eot or padding");
  }
  const auto id = model.vocabulary().Find(name_text.second);
  if (!id) return Wrong("set-token", wish, "there is no such token");
  draft->Set(key, KeyContent::Of(ValueType::kU32, *id));
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyWishes(const Wishes& wishes, const Model& model, Draft* draft) {
  for (const std::string& wish : wishes.set) {
    absl::Status done = Set(wishes, wish, model, draft);
    if (!done.ok()) return done;
  }
  for (const std::string& wish : wishes.set_token) {
    absl::Status done = SetToken(wish, model, draft);
    if (!done.ok()) return done;
  }
  if (wishes.has_template) {
    draft->Set(kChatTemplateKey, KeyContent::Of(wishes.chat_template));
  }
  for (const std::string& key : wishes.remove) {
    const KeyValue* kv = model.FindKey(key);
    if (kv == nullptr) return Wrong("remove", key, "there is no such key");
    draft->Remove(kv->index);
  }
  return absl::OkStatus();
}

}  // namespace gguf
