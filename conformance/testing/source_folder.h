// Small Hugging Face folders in memory, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_SOURCE_FOLDER_H_
#define GGUF_CONFORMANCE_TESTING_SOURCE_FOLDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/read_source.h"

namespace gguf {

// Texts of files, by name.
using SourceFolder = std::map<std::string, std::string>;

inline absl::StatusOr<SourceModel> ReadFolder(const SourceFolder& folder) {
  return ReadSource([&](const std::string& name, uint64_t most) -> absl::StatusOr<std::string> {
    const auto file = folder.find(name);
    if (file == folder.end()) return absl::NotFoundError("no such file");
    return file->second.substr(0, most);
  });
}

// Returns a safetensors file without data.
inline std::string SafeTensors(const std::string& header) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(header.size() >> (8 * i));
  }
  return bytes + header;
}

// "key = value (from)".
inline std::vector<std::string> KeysOf(const SourceModel& model) {
  std::vector<std::string> keys;
  for (const SourceModel::Key& key : model.keys) {
    const std::string value = std::visit(
        [](const auto& v) -> std::string {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, bool>) {
            return v ? "true" : "false";
          } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            std::string all;
            for (const std::string& text : v) absl::StrAppend(&all, "|", text);
            return all;
          } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
            return absl::StrCat(v);
          } else {
            return "?";
          }
        },
        key.value);
    keys.push_back(absl::StrCat(key.key, " = ", value, " (", key.from, ")"));
  }
  return keys;
}

inline std::vector<std::string> TensorsOf(const SourceModel& model) {
  std::vector<std::string> tensors;
  for (const auto& [name, tensor] : model.tensors) {
    std::string dims;
    for (const uint64_t dim : tensor.dims) absl::StrAppend(&dims, " ", dim);
    tensors.push_back(absl::StrCat(name, dims));
  }
  return tensors;
}

inline SourceFolder LlamaFolder() {
  return {
      {"config.json", R"({
        "architectures": ["MistralForCausalLM"], "num_hidden_layers": 1,
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
        "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "vocab_size": 6,
        "bos_token_id": 1, "eos_token_id": [2, 3],
        "rope_scaling": {"type": "linear", "factor": 2.0}})"},
      {"tokenizer.json", R"({
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},
                  "merges": [["a", "b"]]},
        "added_tokens": [
          {"id": 3, "content": "<|end|>", "special": true},
          {"id": 5, "content": "▁x", "special": false}]})"},
      {"tokenizer_config.json", R"({
        "eos_token": {"content": "<|end|>"}, "add_bos_token": true,
        "chat_template": "{{ messages }}"})"},
      {"generation_config.json", R"({"eos_token_id": [3, 2]})"},
      {"model.safetensors", SafeTensors(R"({
        "__metadata__": {"format": "pt"},
        "model.embed_tokens.weight": {"shape": [6, 64]},
        "model.layers.0.self_attn.k_proj.weight": {"shape": [32, 64]},
        "model.layers.0.self_attn.rotary_emb.inv_freq": {"shape": [8]},
        "model.norm.weight": {"shape": [64]}})")},
  };
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_SOURCE_FOLDER_H_
