// Small Hugging Face folders in memory, and what a converter makes of them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/read_source.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/testing/source_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReadSourceTest, KeysOfLlama) {
  const auto model = ReadFolder(LlamaFolder());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->architecture, "llama");
  EXPECT_THAT(KeysOf(*model),
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
                  "{arch}.attention.key_length = 16 (config.json: "
                  "hidden_size/num_attention_heads)",
                  "{arch}.attention.value_length = 16 (config.json: "
                  "hidden_size/num_attention_heads)",
                  "{arch}.vocab_size = 6 (config.json: vocab_size)",
                  "{arch}.rope.scaling.type = linear (config.json: "
                  "rope_scaling.type)",
                  "{arch}.rope.scaling.factor = 2 (config.json: rope_scaling.factor)",
                  "tokenizer.ggml.model = gpt2 (tokenizer.json)",
                  "tokenizer.ggml.merges = |a b (tokenizer.json)",
                  "tokenizer.ggml.bos_token_id = 1 (config.json: bos_token_id)",
                  "tokenizer.ggml.add_bos_token = true (tokenizer_config.json)",
                  "tokenizer.ggml.eos_token_id = 3 (tokenizer_config.json)",
                  "tokenizer.chat_template = {{ messages }} (tokenizer_config.json)"));
  EXPECT_THAT(model->end_tokens, ElementsAre(3, 2));
  EXPECT_THAT(model->tokens->texts, ElementsAre("a", "b", "ab", "<|end|>", "[PAD4]", " x"));
}

TEST(ReadSourceTest, TensorsOfLlama) {
  const auto model = ReadFolder(LlamaFolder());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(TensorsOf(*model), ElementsAre("blk.0.attn_k.weight 64 32", "output_norm.weight 64",
                                             "token_embd.weight 64 6"));
  EXPECT_EQ(model->why_no_tensors, "");
}

TEST(ReadSourceTest, TensorsOfSeveralFiles) {
  SourceFolder folder = LlamaFolder();
  folder["model-1.safetensors"] = folder["model.safetensors"];
  folder["model-2.safetensors"] = SafeTensors(R"({"lm_head.weight": {"shape": [6, 64]}})");
  folder.erase("model.safetensors");
  folder["model.safetensors.index.json"] = R"({"weight_map": {
      "lm_head.weight": "model-2.safetensors",
      "model.norm.weight": "model-1.safetensors"}})";
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(TensorsOf(*model), testing::Contains("output.weight 64 6"));
  EXPECT_THAT(TensorsOf(*model), testing::SizeIs(4));
  folder.erase("model-2.safetensors");
  EXPECT_EQ(ReadFolder(folder)->why_no_tensors, "the source has no \"model-2.safetensors\"");
  folder["model.safetensors.index.json"] = R"({"weight_map": {"x": "../../other.safetensors"}})";
  EXPECT_EQ(ReadFolder(folder).status().message(),
            "\"model.safetensors.index.json\" names a file that is not "
            "*.safetensors");
}

TEST(ReadSourceTest, Gemma3HasDefaultsAndOtherNorms) {
  SourceFolder folder = LlamaFolder();
  folder["config.json"] = R"({
      "architectures": ["Gemma3ForConditionalGeneration"],
      "text_config": {"num_hidden_layers": 1, "hidden_size": 64,
                      "sliding_window": 512}})";
  folder["model.safetensors"] = SafeTensors(R"({
      "language_model.model.embed_tokens.weight": {"shape": [9, 64]},
      "language_model.model.layers.0.post_attention_layernorm.weight":
          {"shape": [64]},
      "vision_tower.vision_model.x.weight": {"shape": [3]}})");
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> keys = KeysOf(*model);
  for (const char* key : {"{arch}.block_count = 1 (config.json: num_hidden_layers)",
                          "{arch}.attention.sliding_window = 512 (config.json: sliding_window)",
                          "{arch}.attention.key_length = 256 (the default of gemma3)",
                          "{arch}.rope.freq_base = 1e+06 (the default of gemma3)"}) {
    EXPECT_THAT(keys, testing::Contains(key));
  }
  EXPECT_THAT(TensorsOf(*model),
              ElementsAre("blk.0.post_attention_norm.weight 64", "token_embd.weight 64 9"));
  EXPECT_TRUE(model->tensors.at("token_embd.weight").has_row_by_token);
}

TEST(ReadSourceTest, ARerankerOfQwen3MayHaveAClassifier) {
  SourceFolder folder = LlamaFolder();
  folder["config.json"] = R"({"architectures": ["Qwen3ForCausalLM"]})";
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(TensorsOf(*model), testing::Contains("cls.output.weight 64 2"));
  EXPECT_THAT(model->optional_tensors, ElementsAre("cls.output.weight"));
}

TEST(ReadSourceTest, BertMarksTheBeginningsOfWords) {
  const SourceFolder folder = {{"config.json", R"({"architectures": ["BertModel"]})"},
                               {"tokenizer.json", R"({
        "model": {"type": "WordPiece",
                  "vocab": {"[CLS]": 0, "the": 1, "##re": 2}},
        "added_tokens": [{"id": 0, "content": "[CLS]", "special": true}]})"},
                               {"model.safetensors", SafeTensors(R"({
        "bert.embeddings.LayerNorm.gamma": {"shape": [8]},
        "bert.encoder.layer.11.attention.self.query.bias": {"shape": [8]},
        "bert.pooler.dense.weight": {"shape": [8, 8]},
        "cls.predictions.bias": {"shape": [3]}})")}};
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> keys = KeysOf(*model);
  for (const char* key : {"tokenizer.ggml.model = bert (tokenizer.json)",
                          "tokenizer.ggml.token_type_count = 1 (the default of bert)",
                          "{arch}.attention.causal = false (the default of bert)"}) {
    EXPECT_THAT(keys, testing::Contains(key));
  }
  EXPECT_THAT(model->tokens->texts, ElementsAre("[CLS]", "▁the", "re"));
  EXPECT_THAT(TensorsOf(*model), ElementsAre("blk.11.attn_q.bias 8", "token_embd_norm.weight 8"));
}

TEST(ReadSourceTest, ValuesOfAnotherTypeAreNotCompared) {
  SourceFolder folder = LlamaFolder();
  folder["config.json"] = R"({
      "architectures": ["LlamaForCausalLM"], "hidden_size": "64",
      "num_hidden_layers": null})";
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<std::string> reasons;
  for (const auto& [group, why] : model->not_compared) reasons.push_back(why);
  EXPECT_THAT(reasons, testing::Contains("\"hidden_size\" of config.json has another "
                                         "type than embedding_length"));
  EXPECT_THAT(reasons, testing::Not(testing::Contains(HasSubstr("hidden_layers"))));
  EXPECT_THAT(KeysOf(*model), testing::Not(testing::Contains(HasSubstr("hidden_size"))));
}

TEST(ReadSourceTest, WhatIsNotKnownIsNotCompared) {
  SourceFolder folder = LlamaFolder();
  folder["config.json"] = R"({
      "architectures": ["OtherForCausalLM"], "hidden_size": 8,
      "intermediate_size": 9, "num_key_value_heads": 2,
      "max_position_embeddings": 7, "rope_theta": 5.0,
      "rope_scaling": {"type": "dynamic", "factor": 2.0}})";
  const auto other = ReadFolder(folder);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->architecture, "");
  EXPECT_THAT(KeysOf(*other), testing::Contains("{arch}.embedding_length = 8 "
                                                "(config.json: hidden_size)"));
  for (const SourceModel::Key& key : other->keys) {
    if (absl::StartsWith(key.key, "{arch}")) {
      EXPECT_EQ(key.key, "{arch}.embedding_length");
      EXPECT_TRUE(key.may_lack);
    }
    if (absl::EndsWith(key.key, "_token_id")) {
      EXPECT_TRUE(key.may_lack);
    }
  }
  EXPECT_THAT(other->why_no_tensors, HasSubstr("OtherForCausalLM"));
  EXPECT_THAT(other->not_compared.front().second,
              HasSubstr("only the numbers of blocks, dimensions and heads"));
  folder = LlamaFolder();
  folder["model.safetensors"] = SafeTensors(R"({"model.layers.0.new.weight": {"shape": [8]}})");
  EXPECT_THAT(ReadFolder(folder)->why_no_tensors, HasSubstr("\"model.layers.0.new.weight\""));
  folder["model.safetensors"] = SafeTensors(R"({"__metadata__": {}})");
  EXPECT_EQ(ReadFolder(folder)->why_no_tensors, "the source has no tensors");
}

TEST(ReadSourceTest, Llama3HasATensorOfRopeFactors) {
  SourceFolder folder = LlamaFolder();
  folder["config.json"] = R"({"architectures": ["LlamaForCausalLM"],
      "head_dim": 16, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}})";
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(TensorsOf(*model), testing::Contains("rope_freqs.weight 8"));
  EXPECT_THAT(model->absent_keys, testing::Contains("{arch}.rope.scaling.*"));
}

TEST(ReadSourceTest, KeysOfYarn) {
  SourceFolder folder = LlamaFolder();
  folder["config.json"] = R"({"architectures": ["Qwen2ForCausalLM"],
      "rope_parameters": {"rope_type": "yarn", "factor": 4.0, "beta_fast": 32,
                          "original_max_position_embeddings": 100}})";
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> keys = KeysOf(*model);
  for (const char* key : {"{arch}.rope.scaling.type = yarn (config.json: "
                          "rope_parameters.rope_type)",
                          "{arch}.rope.scaling.original_context_length = 100 (config.json: "
                          "rope_parameters.original_max_position_embeddings)",
                          "{arch}.rope.scaling.yarn_beta_fast = 32 (config.json: "
                          "rope_parameters.beta_fast)"}) {
    EXPECT_THAT(keys, testing::Contains(key));
  }
  EXPECT_THAT(model->absent_keys, testing::Not(testing::Contains("{arch}.rope.scaling.*")));
  EXPECT_THAT(model->absent_keys, testing::Contains("{arch}.attention.sliding_window"));
}

// Returns "value" of a key of an otherwise empty config.json; "value?" if the
// file may lack it.
std::string DefaultOf(const char* architecture, const char* key, const char* more = "") {
  const auto model = ReadFolder(
      {{"config.json", absl::StrCat(R"({"architectures": [")", architecture, R"("])", more, "}")}});
  for (const SourceModel::Key& found : model->keys) {
    if (found.key != key) continue;
    const auto* integer = std::get_if<int64_t>(&found.value);
    return absl::StrCat(
        integer != nullptr ? static_cast<double>(*integer) : std::get<double>(found.value),
        found.may_lack ? "?" : "");
  }
  return "";
}

TEST(ReadSourceTest, DefaultsOfConverters) {
  EXPECT_EQ(DefaultOf("LlamaForCausalLM", "{arch}.rope.freq_base"), "10000?");
  EXPECT_EQ(DefaultOf("LlamaForCausalLM", "{arch}.rope.freq_base", R"(, "rope_theta": 10000)"),
            "10000?");
  EXPECT_EQ(DefaultOf("LlamaForCausalLM", "{arch}.rope.freq_base", R"(, "rope_theta": 5.0)"), "5");
  EXPECT_EQ(DefaultOf("Gemma3ForCausalLM", "{arch}.rope.freq_base_swa"), "10000?");
  EXPECT_EQ(DefaultOf("Qwen3ForCausalLM", "{arch}.attention.key_length"), "128?");
  EXPECT_EQ(DefaultOf("Qwen3ForCausalLM", "{arch}.attention.key_length", R"(, "head_dim": 64)"),
            "64");
  EXPECT_EQ(DefaultOf("LlamaForCausalLM", "{arch}.vocab_size", R"(, "vocab_size": 9)"), "9?");
}

TEST(ReadSourceTest, BrokenFilesAreErrors) {
  const auto error = [](const char* name, const std::string& text) {
    SourceFolder folder = LlamaFolder();
    folder[name] = text;
    return std::string(ReadFolder(folder).status().message());
  };
  EXPECT_EQ(ReadFolder({}).status().message(), "there is no config.json");
  EXPECT_EQ(error("config.json", "{"),
            "config.json is not valid JSON: line 1, column 2, where it ends");
  EXPECT_EQ(error("config.json", "{\"a\""),
            "config.json is not valid JSON: line 1, column 5, where it ends");
  EXPECT_EQ(error("config.json", "{\n\"hidden_size\": 64,\n \"eps\": NaN}\n"),
            "config.json is not valid JSON: line 3, column 9, at \"NaN}\\n\"");
  EXPECT_EQ(error("config.json", "{\n  \"a\": 5\n  \"num_heads\": 8}"),
            "config.json is not valid JSON: line 3, column 3, at "
            "\"\\\"num_heads\\\": 8}\"");
  EXPECT_EQ(error("config.json", "{\"rope_theta\": 1e999}"),
            "config.json is not valid JSON: line 1, column 16, at \"1e999}\"");
  EXPECT_EQ(error("tokenizer.json", "[]"), "tokenizer.json is not a JSON object");
  EXPECT_EQ(error("model.safetensors", "x"), "\"model.safetensors\" is too short");
  EXPECT_EQ(error("model.safetensors", std::string(8, '\xff')),
            "\"model.safetensors\" has no safetensors header");
  EXPECT_EQ(error("model.safetensors", SafeTensors("{}").substr(0, 9)),
            "\"model.safetensors\" ends in its header");
  EXPECT_EQ(error("config.json", std::string(100000, '[')),
            "config.json is not valid JSON: line 1, column 100001, where it "
            "ends");
}

TEST(ReadSourceTest, PointersOfGitLfsAreErrors) {
  for (const char* name :
       {"config.json", "tokenizer.json", "generation_config.json", "model.safetensors"}) {
    SourceFolder folder = LlamaFolder();
    folder[name] = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    EXPECT_EQ(ReadFolder(folder).status().message(),
              absl::StrCat("\"", name,
                           "\" is a Git LFS pointer, not the file; fetch it: git "
                           "lfs pull"));
  }
}

}  // namespace
}  // namespace gguf
