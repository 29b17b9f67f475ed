// Reads the scaling of the rotary position embedding from config.json.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/source_files.h"

namespace gguf {
namespace {

// Numbers of YaRN, and their keys.  Older converters leave them out.
constexpr std::pair<const char*, const char*> kYarn[] = {
    {"extrapolation_factor", "yarn_ext_factor"},
    {"attention_factor", "yarn_attn_factor"},
    {"beta_fast", "yarn_beta_fast"},
    {"beta_slow", "yarn_beta_slow"}};

// The object that describes the embedding.
struct Rope {
  const SourceJson* json = nullptr;
  std::string path;       // "rope_scaling".
  std::string type_name;  // The member's: "rope_type".
  std::string type = "default";

  std::string From(absl::string_view member) const {
    return absl::StrCat("config.json: ", path, ".", member);
  }
};

Rope FindRope(const SourceJson& config) {
  Rope rope;
  for (const char* path : {"rope_parameters", "rope_scaling"}) {
    rope.json = FindMember(config, path);
    rope.path = path;
    if (rope.json != nullptr) break;
  }
  if (rope.json == nullptr) return rope;
  constexpr char kFull[] = "full_attention";
  if (const SourceJson* full = FindMember(*rope.json, kFull)) {
    rope.json = full;
    absl::StrAppend(&rope.path, ".", kFull);
  }
  for (const char* name : {"rope_type", "type"}) {
    const SourceJson* type = FindMember(*rope.json, name);
    if (type == nullptr) continue;
    rope.type_name = name;
    if (type->is_string()) rope.type = type->get<std::string>();
    break;
  }
  return rope;
}

void AddKey(absl::string_view key, SourceValue value, std::string from,
            bool may_lack, SourceModel* model) {
  model->keys.push_back({absl::StrCat("{arch}.rope.scaling.", key),
                         std::move(value), std::move(from), may_lack});
}

// Adds the keys of linear scaling and of YaRN.
void AddScaling(const Rope& rope, SourceModel* model) {
  const SourceJson* factor = FindMember(*rope.json, "factor");
  if (factor == nullptr || !factor->is_number()) return;
  AddKey("type", rope.type, rope.From(rope.type_name), false, model);
  AddKey("factor", factor->get<double>(), rope.From("factor"), false, model);
  if (rope.type != "yarn") return;
  constexpr char kOriginal[] = "original_max_position_embeddings";
  const SourceJson* length = FindMember(*rope.json, kOriginal);
  if (length != nullptr && length->is_number_integer()) {
    AddKey("original_context_length", length->get<int64_t>(),
           rope.From(kOriginal), false, model);
  }
  for (const auto& [member, key] : kYarn) {
    const SourceJson* number = FindMember(*rope.json, member);
    if (number == nullptr || !number->is_number()) continue;
    AddKey(key, number->get<double>(), rope.From(member), true, model);
  }
}

// Adds the tensor with a factor for each pair of dimensions, for Llama 3.
void AddFactors(const SourceJson& config, const Rope& rope,
                SourceModel* model) {
  const auto number = [&](const char* name) -> uint64_t {
    const SourceJson* json = FindMember(config, name);
    return json != nullptr && json->is_number_unsigned() ? json->get<uint64_t>()
                                                         : 0;
  };
  const uint64_t heads = number("num_attention_heads");
  uint64_t dims = number("head_dim");
  if (dims == 0 && heads > 0) dims = number("hidden_size") / heads;
  if (dims == 0) return;
  model->tensors["rope_freqs.weight"] = {{dims / 2 + dims % 2},
                                         rope.From(rope.type_name)};
}

}  // namespace

void AddRope(const SourceFiles& files, SourceModel* model) {
  const SourceJson& config = files.config;
  const Rope rope = FindRope(config);
  const std::string& type = rope.type;
  if (model->architecture.empty()) {
    // Some converters scale the base frequency instead.
    if (type != "dynamic" && type != "xdrope") return;
    const auto is_base = [](const SourceModel::Key& key) {
      return key.key == "{arch}.rope.freq_base";
    };
    auto& keys = model->keys;
    keys.erase(std::remove_if(keys.begin(), keys.end(), is_base), keys.end());
  } else if (type == "linear" || type == "yarn") {
    AddScaling(rope, model);
  } else if (type == "default") {
    model->absent_keys.emplace_back("{arch}.rope.scaling.*");
  } else if (absl::AsciiStrToLower(type) == "llama3") {
    model->absent_keys.emplace_back("{arch}.rope.scaling.*");
    if (model->architecture == "llama") AddFactors(config, rope, model);
  } else {
    model->not_compared.emplace_back(
        CompareGroup::kRope, "the scaling of the source is not known here");
  }
}

}  // namespace gguf
