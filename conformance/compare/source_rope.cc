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

void AddKey(absl::string_view key, SourceValue value, absl::string_view member,
            bool may_lack, SourceModel* model) {
  model->keys.push_back({absl::StrCat("{arch}.rope.scaling.", key),
                         std::move(value),
                         absl::StrCat("config.json: ", member), may_lack});
}

// Adds the keys of linear scaling and of YaRN.
void AddScaling(const SourceJson& rope, const std::string& type,
                SourceModel* model) {
  const SourceJson* factor = FindMember(rope, "factor");
  if (factor == nullptr || !factor->is_number()) return;
  AddKey("type", type, "rope_type", false, model);
  AddKey("factor", factor->get<double>(), "factor", false, model);
  if (type != "yarn") return;
  constexpr char kOriginal[] = "original_max_position_embeddings";
  const SourceJson* length = FindMember(rope, kOriginal);
  if (length != nullptr && length->is_number_integer()) {
    AddKey("original_context_length", length->get<int64_t>(), kOriginal, false,
           model);
  }
  for (const auto& [member, key] : kYarn) {
    const SourceJson* number = FindMember(rope, member);
    if (number == nullptr || !number->is_number()) continue;
    AddKey(key, number->get<double>(), member, true, model);
  }
}

// Adds the tensor with a factor for each pair of dimensions, for Llama 3.
void AddFactors(const SourceJson& config, SourceModel* model) {
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
                                         "config.json: rope_type"};
}

}  // namespace

void AddRope(const SourceFiles& files, SourceModel* model) {
  const SourceJson& config = files.config;
  const SourceJson* rope = FindMember(config, "rope_parameters");
  if (rope == nullptr) rope = FindMember(config, "rope_scaling");
  std::string type = "default";
  if (rope != nullptr) {
    const SourceJson* full = FindMember(*rope, "full_attention");
    if (full != nullptr) rope = full;
    const SourceJson* named = FindMember(*rope, "rope_type");
    if (named == nullptr) named = FindMember(*rope, "type");
    if (named != nullptr && named->is_string())
      type = named->get<std::string>();
  }
  if (model->architecture.empty()) {
    // Some converters scale the base frequency instead.
    if (type != "dynamic" && type != "xdrope") return;
    const auto is_base = [](const SourceModel::Key& key) {
      return key.key == "{arch}.rope.freq_base";
    };
    auto& keys = model->keys;
    keys.erase(std::remove_if(keys.begin(), keys.end(), is_base), keys.end());
  } else if (type == "linear" || type == "yarn") {
    AddScaling(*rope, type, model);
  } else if (type == "default") {
    model->absent_keys.emplace_back("{arch}.rope.scaling.*");
  } else if (absl::AsciiStrToLower(type) == "llama3") {
    model->absent_keys.emplace_back("{arch}.rope.scaling.*");
    if (model->architecture == "llama") AddFactors(config, model);
  } else {
    model->not_compared.emplace_back(
        CompareGroup::kRope, "the scaling of the source is not known here");
  }
}

}  // namespace gguf
