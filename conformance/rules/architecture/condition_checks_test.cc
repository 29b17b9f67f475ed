// Hyperparameters that no model can have.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/hparam_rules.h"
#include "conformance/tables/kind_rules.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

struct Number {
  std::string key;  // After the architecture's name.
  uint32_t value;
};

struct NumberCase {
  const char* arch;
  std::vector<Number> numbers;
  const char* finding;  // Without severity; empty for none.
};

TEST(HparamChecksTest, NumbersAgree) {
  const std::string half = "embedding_length", heads = "attention.head_count",
                    kv = "attention.head_count_kv";
  const std::vector<NumberCase> kCases = {
      {"llama", {{"block_count", 1}}, ""},
      {"llama", {{"block_count", 512}}, ""},
      {"llama", {{"block_count", 0}}, "error block-count-in-range kv[llama.block_count].value"},
      {"llama", {{"block_count", 513}}, "error block-count-in-range kv[llama.block_count].value"},
      {"llama", {{"block_count", ~0u}}, "error block-count-in-range kv[llama.block_count].value"},

      {"glm4", {{"block_count", 2}, {"nextn_predict_layers", 1}}, ""},
      {"glm4",
       {{"block_count", 2}, {"nextn_predict_layers", 2}},
       "error nextn-leaves-blocks kv[glm4.nextn_predict_layers].value"},
      {"glm4",
       {{"block_count", 2}, {"nextn_predict_layers", 3}},
       "error nextn-below-block-count kv[glm4.nextn_predict_layers].value"},
      {"llama", {{"block_count", 2}, {"nextn_predict_layers", 0}}, ""},
      {"llama", {{"block_count", 2}, {"nextn_predict_layers", 2}}, ""},
      {"llama",
       {{"block_count", 2}, {"nextn_predict_layers", 3}},
       "error nextn-below-block-count kv[llama.nextn_predict_layers].value"},
      {"nemotron_h",
       {{"block_count", 2}, {"nextn_predict_layers", 1}},
       "error architecture-hparams-consistent kv[nemotron_h.nextn_predict_layers].value"},
      {"nemotron_h",
       {{"block_count", 2}, {"nextn_predict_layers", 1}, {"expert_feed_forward_length", 4}},
       ""},
      {"rwkv7", {{"wkv.head_size", 1}}, ""},
      {"rwkv6",
       {{"wkv.head_size", 0}},
       "error architecture-hparams-consistent kv[rwkv6.wkv.head_size].value"},
      {"t5", {{"block_count", 2}, {"decoder_block_count", 2}}, ""},
      {"t5",
       {{"block_count", 2}, {"decoder_block_count", 3}},
       "error architecture-hparams-consistent kv[t5.decoder_block_count].value"},
      {"gemma4-assistant", {{"block_count", 2}, {"nextn_predict_layers", 2}}, ""},
      {"gemma4-assistant",
       {{"block_count", 2}, {"nextn_predict_layers", 1}},
       "error nextn-leaves-blocks kv[gemma4-assistant.nextn_predict_layers].value"},
      {"gemma4-assistant",
       {{"block_count", 2}, {"nextn_predict_layers", 3}},
       "error nextn-below-block-count kv[gemma4-assistant.nextn_predict_layers].value"},

      {"llama", {{heads, 0}}, "error head-count-positive kv[llama.attention.head_count].value"},
      {"gptj", {{heads, 0}}, "error head-count-positive kv[gptj.attention.head_count].value"},
      {"mamba", {{heads, 0}, {"feed_forward_length", 0}}, ""},
      {"rwkv7", {{heads, 0}}, ""},
      {"llama",
       {{heads, 8}, {kv, 0}},
       "error head-count-positive kv[llama.attention.head_count_kv].value"},
      {"llama", {{heads, 8}, {kv, 2}, {half, 64}}, ""},
      {"llama", {{heads, 8}, {kv, 8}}, ""},
      {"llama",
       {{"block_count", 2}, {heads, 8}, {kv, 3}},
       "error head-count-kv-divides kv[llama.attention.head_count_kv].value"},
      {"llama",
       {{heads, 8}, {kv, 16}},
       "error head-count-kv-divides kv[llama.attention.head_count_kv].value"},
      {"llama",
       {{heads, 7}, {half, 64}},
       "error head-count-divides-embedding kv[llama.attention.head_count].value"},
      {"llama", {{heads, 7}, {half, 64}, {"attention.key_length", 16}}, ""},

      {"llama", {{"expert_count", 8}, {"expert_used_count", 8}}, ""},
      {"llama", {{"expert_count", 0}, {"expert_used_count", 0}}, ""},
      {"llama", {{"expert_count", 1024}, {"expert_used_count", 1}}, ""},
      {"llama",
       {{"expert_count", 1025}, {"expert_used_count", 1}},
       "error expert-counts-consistent kv[llama.expert_count].value"},
      {"llama",
       {{"expert_count", 8}, {"expert_used_count", 9}},
       "error expert-counts-consistent kv[llama.expert_used_count].value"},
      {"llama",
       {{"expert_count", 8}, {"expert_used_count", 0}},
       "error expert-counts-consistent kv[llama.expert_count].value"},
      {"llama",
       {{"expert_count", 8}},
       "error expert-counts-consistent kv[llama.expert_count].value"},
      {"llama",
       {{"expert_used_count", 2}},
       "error expert-counts-consistent kv[llama.expert_used_count].value"},
      {"qwen2moe",
       {{"expert_count", 0}},
       "error expert-counts-consistent kv[qwen2moe.expert_count].value"},
      {"llama",
       {{"expert_count", 8},
        {"expert_used_count", 2},
        {"expert_group_count", 4},
        {"expert_group_used_count", 2}},
       ""},
      {"llama",
       {{"expert_count", 8},
        {"expert_used_count", 2},
        {"expert_group_count", 3},
        {"expert_group_used_count", 2}},
       "error expert-counts-consistent kv[llama.expert_group_count].value"},
      {"llama",
       {{"expert_count", 8},
        {"expert_used_count", 2},
        {"expert_group_count", 4},
        {"expert_group_used_count", 4}},
       "error expert-counts-consistent kv[llama.expert_group_count].value"},
      {"hunyuan-dense", {{"expert_count", 1}}, ""},

      {"llama", {{heads, 8}, {half, 64}, {"rope.dimension_count", 8}}, ""},
      {"llama",
       {{heads, 8}, {half, 64}, {"rope.dimension_count", 4}},
       "error rope-dimension-count-fits kv[llama.rope.dimension_count].value"},
      {"llama", {{heads, 8}, {"attention.key_length", 4}, {"rope.dimension_count", 4}}, ""},
      {"gptneox", {{heads, 8}, {half, 64}, {"rope.dimension_count", 4}}, ""},

      {"llama",
       {{"context_length", 0}},
       "warning context-length-positive kv[llama.context_length].value"},
      {"llama",
       {{"expert_group_count", 2}},
       "error expert-counts-consistent kv[llama.expert_group_count].value"},
      {"afmoe", {{"block_count", 2}, {"leading_dense_block_count", 2}, {"expert_count", 0}}, ""},
      {"afmoe",
       {{"block_count", 2}, {"leading_dense_block_count", 1}, {"expert_count", 0}},
       "error expert-counts-consistent kv[afmoe.expert_count].value"},
      {"deepseek", {{"block_count", 2}, {"leading_dense_block_count", 2}, {"expert_count", 0}}, ""},
      {"deepseek",
       {{"block_count", 2}, {"leading_dense_block_count", 1}, {"expert_count", 0}},
       "error expert-counts-consistent kv[deepseek.expert_count].value"},
      {"gemma4-assistant", {{"embedding_length", 64}, {"embedding_length_out", 65}}, ""},
      {"gemma4-assistant",
       {{"embedding_length", 64}, {"embedding_length_out", 64}},
       "error architecture-hparams-consistent kv[gemma4-assistant.embedding_length_out].value"},
      {"gemma4",
       {{"attention.head_count", 2}, {"attention.key_length", 8}, {"attention.value_length", 8}},
       ""},
      {"gemma4",
       {{"attention.head_count", 2},
        {"attention.key_length_swa", 8},
        {"attention.value_length_swa", 8}},
       ""},
      {"gemma4",
       {{"attention.head_count", 2},
        {"attention.key_length_swa", 8},
        {"attention.value_length_swa", 4}},
       "error architecture-hparams-consistent kv[gemma4.attention.key_length_swa].value"},
      {"wavtokenizer-dec", {{"posnet.embedding_length", 4}, {"convnext.embedding_length", 4}}, ""},
      {"wavtokenizer-dec",
       {{"posnet.embedding_length", 4}, {"convnext.embedding_length", 5}},
       "error architecture-hparams-consistent kv[wavtokenizer-dec.posnet.embedding_length].value"},
      {"wavtokenizer-dec", {{"block_count", 2}, {"posnet.block_count", 2}}, ""},
      {"wavtokenizer-dec",
       {{"block_count", 2}, {"posnet.block_count", 3}},
       "error architecture-hparams-consistent kv[wavtokenizer-dec.posnet.block_count].value"},
      {"wavtokenizer-dec", {{"block_count", 2}, {"convnext.block_count", 2}}, ""},
      {"wavtokenizer-dec",
       {{"block_count", 2}, {"convnext.block_count", 3}},
       "error architecture-hparams-consistent kv[wavtokenizer-dec.convnext.block_count].value"},
      {"gemma-embedding", {{"embedding_length", 64}, {"dense_2_feat_in", 64}}, ""},
      {"gemma-embedding",
       {{"embedding_length", 64}, {"dense_2_feat_in", 63}},
       "error architecture-hparams-consistent kv[gemma-embedding.dense_2_feat_in].value"},
      {"gemma-embedding", {{"embedding_length", 64}, {"dense_3_feat_out", 0}}, ""},
      {"gemma-embedding",
       {{"embedding_length", 64}, {"dense_3_feat_out", 63}},
       "error architecture-hparams-consistent kv[gemma-embedding.dense_3_feat_out].value"},
      {"grovemoe", {{"experts_per_group", 1}}, ""},
      {"grovemoe",
       {{"experts_per_group", 0}},
       "error architecture-hparams-consistent kv[grovemoe.experts_per_group].value"},
      {"minimax-m3", {{"attention.indexer.block_size", 1}}, ""},
      {"minimax-m3",
       {{"attention.indexer.block_size", 0}},
       "error architecture-hparams-consistent kv[minimax-m3.attention.indexer.block_size].value"},
      {"graniteswitch", {{"adapters.count", 4096}}, ""},
      {"graniteswitch",
       {{"adapters.count", 4097}},
       "error architecture-hparams-consistent kv[graniteswitch.adapters.count].value"},
      {"graniteswitch", {{"adapters.lora_rank", 4096}}, ""},
      {"graniteswitch",
       {{"adapters.lora_rank", 4097}},
       "error architecture-hparams-consistent kv[graniteswitch.adapters.lora_rank].value"},
      {"graniteswitch", {{"block_count", 511}}, ""},
      {"graniteswitch",
       {{"block_count", 512}},
       "error architecture-hparams-consistent kv[graniteswitch.block_count].value"},
      {"nanbeige", {{"block_count", 256}, {"num_loops", 2}}, ""},
      {"nanbeige",
       {{"block_count", 256}, {"num_loops", 3}},
       "error architecture-hparams-consistent kv[nanbeige.num_loops].value"},
      {"nanbeige", {{"block_count", 256}, {"num_loops", 1}}, ""},
      {"nanbeige",
       {{"block_count", 256}, {"num_loops", 0}},
       "error architecture-hparams-consistent kv[nanbeige.num_loops].value"},
      {"dflash", {{"hyper_connection.count", 1}, {"attention.output_group_count", 1}}, ""},
      {"dflash",
       {{"hyper_connection.count", 1}, {"attention.output_group_count", 0}},
       "error architecture-hparams-consistent kv[dflash.attention.output_group_count].value"},
      {"dflash", {{"hyper_connection.count", 0}, {"attention.sliding_window", 0}}, ""},
      {"dflash",
       {{"hyper_connection.count", 1}, {"attention.sliding_window", 0}},
       "error architecture-hparams-consistent kv[dflash.attention.sliding_window].value"},
      {"deepseek4", {{"expert_gating_func", 4}}, ""},
      {"deepseek4",
       {{"expert_gating_func", 2}},
       "error architecture-hparams-consistent kv[deepseek4.expert_gating_func].value"},
      {"deepseek2", {{"attention.key_length_mla", 8}, {"attention.value_length_mla", 8}}, ""},
      {"deepseek2",
       {{"attention.key_length_mla", 8}},
       "error architecture-hparams-consistent kv[deepseek2.attention.key_length_mla].value"},
      {"glm-dsa",
       {{"attention.key_length_mla", 8},
        {"attention.value_length_mla", 8},
        {"attention.head_count", 1},
        {"rope.dimension_count", 4}},
       ""},
      {"glm-dsa",
       {{"attention.key_length_mla", 8},
        {"attention.value_length_mla", 8},
        {"attention.head_count", 1},
        {"rope.dimension_count", 8}},
       "error architecture-hparams-consistent kv[glm-dsa.attention.key_length_mla].value"},
      {"mamba", {{half, 64}, {"ssm.inner_size", 128}}, ""},
      {"mamba",
       {{half, 64}, {"ssm.inner_size", 64}},
       "error architecture-hparams-consistent kv[mamba.ssm.inner_size].value"},
  };
  for (const NumberCase& c : kCases) {
    GgufBuilder b = FileOf(c.arch);
    std::string title = c.arch;
    for (const Number& number : c.numbers) {
      b.U32(std::string(c.arch) + "." + number.key, number.value);
      title += " " + number.key + "=" + std::to_string(number.value);
    }
    std::vector<std::string> found = HparamFindings(b);
    if (std::string(c.arch) == "gptj") found.erase(found.begin());
    if (*c.finding == 0) {
      EXPECT_THAT(found, testing::IsEmpty()) << title;
    } else {
      EXPECT_THAT(found, testing::ElementsAre(c.finding)) << title;
    }
  }
}

TEST(HparamChecksTest, TheWidthsOfGemma4AreThoseOfBlock0) {
  for (const bool is_swa : {false, true}) {
    GgufBuilder b = FileOf("gemma4");
    b.U32("gemma4.attention.head_count", 2);
    b.Key("gemma4.attention.sliding_window_pattern", 9, b.New().U32(7).Length(1).U8(is_swa));
    b.U32("gemma4.attention.key_length_swa", 4);
    b.U32("gemma4.attention.value_length_swa", 4);
    b.U32("gemma4.attention.key_length", 8);
    b.U32("gemma4.attention.value_length", 4);
    EXPECT_EQ(HparamFindings(b).empty(), is_swa);
  }
}

const FindingsOf kUnused = {{"unused-keys-in-bounds"}};

TEST(UnusedKeysTest, AreJudgedByTheRowsOfTheirArchitectureOrKind) {
  EXPECT_THAT(kUnused.MessagesIn(FileOf("flux").U32("llama.block_count", 513)),
              testing::ElementsAre(
                  "kv[llama.block_count].value is 513, not 1 to 512 (block-count-in-range)"));
  EXPECT_THAT(kUnused.MessagesIn(FileOf("llama").U32("clip.vision.block_count", 513)),
              testing::ElementsAre("kv[clip.vision.block_count].value is 513, more than 512 blocks "
                                   "(projector-sizes-in-range)"));
  // Keys that are used have rules of their own.
  EXPECT_THAT(kUnused.In(FileOf("llama").U32("llama.block_count", 513)), testing::IsEmpty());
  EXPECT_THAT(kUnused.In(FileOf("clip").U32("clip.vision.block_count", 513)), testing::IsEmpty());
}

TEST(UnusedKeysTest, OfAnUnknownArchitectureEachElementIsJudged) {
  GgufBuilder b = FileOf("flux");
  b.U32("new.block_count", 3);
  const auto heads = [&](uint32_t last) {
    return b.New().U32(4).Length(3).U32(4).U32(4).U32(last);
  };
  b.Key("new.attention.head_count", 9, heads(4)).Key("new.attention.head_count_kv", 9, heads(3));
  EXPECT_THAT(kUnused.MessagesIn(b),
              testing::ElementsAre("kv[new.attention.head_count_kv].value[2] is 3, which does not "
                                   "divide the number of heads, 4 (head-count-kv-divides)"));
}

TEST(UnusedKeysTest, ManyArchitecturesTakeNoTime) {  // See Findings().
  GgufBuilder b = FileOf("flux");
  for (int i = 0; i < 10000; ++i) {
    const std::string name = "a" + std::to_string(i);
    b.U32(name + ".block_count", 512).U32(name + ".attention.head_count", 8);
    b.U32(name + ".attention.head_count_kv", 8).U32(name + ".expert_count", 0);
  }
  EXPECT_THAT(Findings(b.Build(), "safety"), testing::IsEmpty());
}

TEST(ConditionsTest, EachRowIsOfARuleOfItsTable) {
  const auto has = [](const RuleTable& rules, absl::string_view id) {
    return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.id == id; });
  };
  for (const HparamRow& row : kHparamRules) {
    EXPECT_TRUE(has(kConditionRules, row.rule)) << row.rule;
  }
  for (const KindRuleRow& row : kKindRules) {
    EXPECT_TRUE(has(kKindConditionRules, row.rule)) << row.rule;
  }
}

}  // namespace
}  // namespace gguf
