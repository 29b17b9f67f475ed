// Small Hugging Face folders in memory, and what a converter makes of them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/read_source.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Folder = std::map<std::string, std::string>;

absl::StatusOr<SourceModel> Read(const Folder& folder) {
  return ReadSource([&](const std::string& name,
                        uint64_t most) -> absl::StatusOr<std::string> {
    const auto file = folder.find(name);
    if (file == folder.end()) return absl::NotFoundError("no such file");
    return file->second.substr(0, most);
  });
}

// Returns a safetensors file without data.
std::string SafeTensors(const std::string& header) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(header.size() >> (8 * i));
  }
  return bytes + header;
}

// "key = value (from)".
std::vector<std::string> KeysOf(const SourceModel& model) {
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
          } else if constexpr (std::is_arithmetic_v<T> ||
                               std::is_same_v<T, std::string>) {
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

std::vector<std::string> TensorsOf(const SourceModel& model) {
  std::vector<std::string> tensors;
  for (const auto& [name, tensor] : model.tensors) {
    std::string dims;
    for (const uint64_t dim : tensor.dims) absl::StrAppend(&dims, " ", dim);
    tensors.push_back(absl::StrCat(name, dims));
  }
  return tensors;
}

Folder Llama() {
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

TEST(ReadSourceTest, KeysOfLlama) {
  const auto model = Read(Llama());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->architecture, "llama");
  EXPECT_THAT(
      KeysOf(*model),
      testing::UnorderedElementsAre(
          "general.architecture = llama (config.json: architectures)",
          "{arch}.block_count = 1 (config.json: num_hidden_layers)",
          "{arch}.embedding_length = 64 (config.json: hidden_size)",
          "{arch}.attention.head_count = 4 (config.json: num_attention_heads)",
          "{arch}.attention.head_count_kv = 2 (config.json: "
          "num_key_value_heads)",
          "{arch}.attention.layer_norm_rms_epsilon = 1e-05 (config.json: "
          "rms_norm_eps)",
          "{arch}.rope.freq_base = 10000 (config.json: rope_theta)",
          "{arch}.rope.dimension_count = 16 (config.json: "
          "hidden_size/num_attention_heads)",
          "{arch}.vocab_size = 6 (config.json: vocab_size)",
          "{arch}.rope.scaling.type = linear (config.json: rope_type)",
          "{arch}.rope.scaling.factor = 2 (config.json: factor)",
          "tokenizer.ggml.tokens = |a|b|ab|<|end|>|[PAD4]| x (tokenizer.json)",
          "tokenizer.ggml.model = gpt2 (tokenizer.json)",
          "tokenizer.ggml.merges = |a b (tokenizer.json)",
          "tokenizer.ggml.bos_token_id = 1 (tokenizer_config.json)",
          "tokenizer.ggml.add_bos_token = true (tokenizer_config.json)",
          "tokenizer.ggml.eos_token_id = 3 (tokenizer_config.json)",
          "tokenizer.chat_template = {{ messages }} (tokenizer_config.json)"));
  EXPECT_THAT(model->end_tokens, ElementsAre(3, 2));
}

TEST(ReadSourceTest, TensorsOfLlama) {
  const auto model = Read(Llama());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(TensorsOf(*model),
              ElementsAre("blk.0.attn_k.weight 64 32", "output_norm.weight 64",
                          "token_embd.weight 64 6"));
  EXPECT_EQ(model->why_no_tensors, "");
}

TEST(ReadSourceTest, TensorsOfSeveralFiles) {
  Folder folder = Llama();
  folder["model-1.safetensors"] = folder["model.safetensors"];
  folder["model-2.safetensors"] =
      SafeTensors(R"({"lm_head.weight": {"shape": [6, 64]}})");
  folder.erase("model.safetensors");
  folder["model.safetensors.index.json"] = R"({"weight_map": {
      "lm_head.weight": "model-2.safetensors",
      "model.norm.weight": "model-1.safetensors"}})";
  const auto model = Read(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(TensorsOf(*model), testing::Contains("output.weight 64 6"));
  EXPECT_THAT(TensorsOf(*model), testing::SizeIs(4));
  folder.erase("model-2.safetensors");
  EXPECT_EQ(Read(folder)->why_no_tensors,
            "the source has no \"model-2.safetensors\"");
  folder["model.safetensors.index.json"] =
      R"({"weight_map": {"x": "../../other.safetensors"}})";
  EXPECT_EQ(Read(folder).status().message(),
            "\"model.safetensors.index.json\" names a file that is not "
            "*.safetensors");
}

TEST(ReadSourceTest, Gemma3HasDefaultsAndOtherNorms) {
  Folder folder = Llama();
  folder["config.json"] = R"({
      "architectures": ["Gemma3ForConditionalGeneration"],
      "text_config": {"num_hidden_layers": 1, "hidden_size": 64,
                      "sliding_window": 512}})";
  folder["model.safetensors"] = SafeTensors(R"({
      "language_model.model.embed_tokens.weight": {"shape": [9, 64]},
      "language_model.model.layers.0.post_attention_layernorm.weight":
          {"shape": [64]},
      "vision_tower.vision_model.x.weight": {"shape": [3]}})");
  const auto model = Read(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> keys = KeysOf(*model);
  for (const char* key :
       {"{arch}.block_count = 1 (config.json: num_hidden_layers)",
        "{arch}.attention.sliding_window = 512 (config.json: sliding_window)",
        "{arch}.attention.key_length = 256 (the default of gemma3)",
        "{arch}.rope.freq_base = 1e+06 (the default of gemma3)"}) {
    EXPECT_THAT(keys, testing::Contains(key));
  }
  // There are six tokens.
  EXPECT_THAT(TensorsOf(*model),
              ElementsAre("blk.0.post_attention_norm.weight 64",
                          "token_embd.weight 64 6"));
}

TEST(ReadSourceTest, BertMarksTheBeginningsOfWords) {
  const Folder folder = {{"config.json", R"({"architectures": ["BertModel"]})"},
                         {"tokenizer.json", R"({
        "model": {"type": "WordPiece",
                  "vocab": {"[CLS]": 0, "the": 1, "##re": 2}},
        "added_tokens": [{"id": 0, "content": "[CLS]", "special": true}]})"},
                         {"model.safetensors", SafeTensors(R"({
        "bert.embeddings.LayerNorm.gamma": {"shape": [8]},
        "bert.encoder.layer.11.attention.self.query.bias": {"shape": [8]},
        "bert.pooler.dense.weight": {"shape": [8, 8]},
        "cls.predictions.bias": {"shape": [3]}})")}};
  const auto model = Read(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> keys = KeysOf(*model);
  for (const char* key :
       {"tokenizer.ggml.tokens = |[CLS]|▁the|re (tokenizer.json)",
        "tokenizer.ggml.model = bert (tokenizer.json)",
        "tokenizer.ggml.token_type_count = 1 (the default of bert)",
        "{arch}.attention.causal = false (the default of bert)"}) {
    EXPECT_THAT(keys, testing::Contains(key));
  }
  EXPECT_THAT(TensorsOf(*model),
              ElementsAre("blk.11.attn_q.bias 8", "token_embd_norm.weight 8"));
}

TEST(ReadSourceTest, WhatIsNotKnownIsNotCompared) {
  Folder folder = Llama();
  folder["config.json"] =
      R"({"architectures": ["OtherForCausalLM"], "hidden_size": 8})";
  const auto other = Read(folder);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->architecture, "");
  EXPECT_THAT(KeysOf(*other), testing::Contains("{arch}.embedding_length = 8 "
                                                "(config.json: hidden_size)"));
  EXPECT_THAT(other->why_no_tensors, HasSubstr("OtherForCausalLM"));
  EXPECT_THAT(other->not_compared.front().second,
              HasSubstr("only the usual members are compared"));
  folder = Llama();
  folder["model.safetensors"] =
      SafeTensors(R"({"model.layers.0.new.weight": {"shape": [8]}})");
  EXPECT_THAT(Read(folder)->why_no_tensors,
              HasSubstr("\"model.layers.0.new.weight\""));
}

TEST(ReadSourceTest, TemplatesOfTheirOwnFiles) {
  Folder folder = Llama();
  folder["tokenizer_config.json"] = "{}";
  folder["chat_template.jinja"] = "{{ jinja }}";
  folder["chat_template.json"] = R"({"chat_template": "{{ json }}"})";
  EXPECT_THAT(KeysOf(*Read(folder)),
              testing::Contains("tokenizer.chat_template = {{ jinja }} "
                                "(chat_template.jinja)"));
  folder.erase("chat_template.jinja");
  EXPECT_THAT(KeysOf(*Read(folder)),
              testing::Contains("tokenizer.chat_template = {{ json }} "
                                "(chat_template.json)"));
}

TEST(ReadSourceTest, BrokenFilesAreErrors) {
  const auto error = [](const char* name, const std::string& text) {
    Folder folder = Llama();
    folder[name] = text;
    return std::string(Read(folder).status().message());
  };
  EXPECT_EQ(Read({}).status().message(), "there is no config.json");
  EXPECT_EQ(error("config.json", "{"), "config.json is not a JSON object");
  EXPECT_EQ(error("tokenizer.json", "[]"),
            "tokenizer.json is not a JSON object");
  EXPECT_EQ(error("model.safetensors", "x"),
            "\"model.safetensors\" is too short");
  EXPECT_EQ(error("model.safetensors", std::string(8, '\xff')),
            "\"model.safetensors\" has no safetensors header");
  EXPECT_EQ(error("model.safetensors", SafeTensors("{}").substr(0, 9)),
            "\"model.safetensors\" ends in its header");
  EXPECT_EQ(error("config.json", std::string(100000, '[')),
            "config.json is not a JSON object");
}

}  // namespace
}  // namespace gguf
