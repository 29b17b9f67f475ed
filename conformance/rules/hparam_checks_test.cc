// Hyper-parameters that no model can have.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "conformance/rules/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

constexpr uint32_t kF32 = 6, kArray = 9;

struct Number {
  std::string key;  // Behind the architecture's name.
  uint32_t value;
};

struct NumberCase {
  const char* arch;
  std::vector<Number> numbers;
  const char* finding;  // Without severity; empty for none.
};

// Findings but those about what else is missing.
std::vector<std::string> OfHparams(const GgufBuilder& builder,
                                   absl::string_view profile = "upload") {
  std::vector<std::string> lines;
  for (const std::string& line : ModelFindings(builder.Build(), profile)) {
    if (!absl::StrContains(line, "keys-present")) lines.push_back(line);
  }
  return lines;
}

GgufBuilder Start(const std::string& arch) {
  GgufBuilder b;
  b.String("general.architecture", arch);
  return b;
}

TEST(HparamChecksTest, NumbersAgree) {
  const std::string half = "embedding_length", heads = "attention.head_count",
                    kv = "attention.head_count_kv";
  const std::vector<NumberCase> kCases = {
      {"llama", {{"block_count", 1}}, ""},
      {"llama", {{"block_count", 512}}, ""},
      {"llama",
       {{"block_count", 0}},
       "error block-count-in-range kv[llama.block_count].value"},
      {"llama",
       {{"block_count", 513}},
       "error block-count-in-range kv[llama.block_count].value"},
      {"llama",
       {{"block_count", ~0u}},
       "error block-count-in-range kv[llama.block_count].value"},

      {"glm4", {{"block_count", 2}, {"nextn_predict_layers", 1}}, ""},
      {"glm4",
       {{"block_count", 2}, {"nextn_predict_layers", 2}},
       "error nextn-below-block-count kv[glm4.nextn_predict_layers].value"},
      {"gemma4-assistant",
       {{"block_count", 2}, {"nextn_predict_layers", 2}},
       ""},
      {"gemma4-assistant",
       {{"block_count", 2}, {"nextn_predict_layers", 1}},
       "error nextn-below-block-count "
       "kv[gemma4-assistant.nextn_predict_layers].value"},

      {"llama",
       {{heads, 0}},
       "error head-count-positive kv[llama.attention.head_count].value"},
      {"gptj",
       {{heads, 0}},
       "error head-count-positive kv[gptj.attention.head_count].value"},
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
       "error head-count-divides-embedding "
       "kv[llama.attention.head_count].value"},
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
      {"llama",
       {{heads, 8}, {"attention.key_length", 4}, {"rope.dimension_count", 4}},
       ""},
      {"gptneox", {{heads, 8}, {half, 64}, {"rope.dimension_count", 4}}, ""},

      {"llama",
       {{"context_length", 0}},
       "warning context-length-positive kv[llama.context_length].value"},
      {"mamba", {{half, 64}, {"ssm.inner_size", 128}}, ""},
      {"mamba",
       {{half, 64}, {"ssm.inner_size", 64}},
       "error architecture-hparams-consistent kv[mamba.ssm.inner_size].value"},
  };
  for (const NumberCase& c : kCases) {
    GgufBuilder b = Start(c.arch);
    std::string title = c.arch;
    for (const Number& number : c.numbers) {
      b.U32(std::string(c.arch) + "." + number.key, number.value);
      title += " " + number.key + "=" + std::to_string(number.value);
    }
    std::vector<std::string> found = OfHparams(b);
    if (std::string(c.arch) == "gptj") found.erase(found.begin());
    if (*c.finding == 0) {
      EXPECT_THAT(found, testing::IsEmpty()) << title;
    } else {
      EXPECT_THAT(found, testing::ElementsAre(c.finding)) << title;
    }
  }
}

ByteWriter ArrayOf(const std::vector<uint32_t>& numbers) {
  ByteWriter value;
  value.U32(5).U64(numbers.size());
  for (const uint32_t number : numbers) value.U32(number);
  return value;
}

TEST(HparamChecksTest, ArraysHaveAnElementForEachBlock) {
  const auto with = [](const std::vector<uint32_t>& numbers) {
    return OfHparams(
        Start("llama")
            .U32("llama.block_count", 3)
            .Key("llama.attention.head_count", kArray, ArrayOf(numbers)));
  };
  EXPECT_THAT(with({8, 4, 0}), testing::IsEmpty());
  const auto wrong = testing::ElementsAre(
      "error hparam-array-length kv[llama.attention.head_count].value");
  EXPECT_THAT(with({}), wrong);
  EXPECT_THAT(with({8}), wrong);
  EXPECT_THAT(with({8, 4, 0, 1}), wrong);
  EXPECT_THAT(with(std::vector<uint32_t>(513, 8)), wrong);
}

TEST(HparamChecksTest, AnArraysElementIsNamed) {
  EXPECT_THAT(
      OfHparams(Start("llama")
                    .U32("llama.block_count", 3)
                    .U32("llama.attention.head_count", 8)
                    .Key("llama.attention.head_count_kv", kArray,
                         ArrayOf({8, 0, 5}))),
      testing::ElementsAre("error head-count-kv-divides "
                           "kv[llama.attention.head_count_kv].value[2]"));
}

TEST(HparamChecksTest, RopeScalingTypes) {
  const auto with = [](const char* type, absl::string_view profile,
                       bool original = true) {
    GgufBuilder b = Start("llama");
    b.String("llama.rope.scaling.type", type);
    if (original) b.U32("llama.rope.scaling.original_context_length", 1024);
    return OfHparams(b, profile);
  };
  for (const char* type : {"none", "linear", "yarn"}) {
    EXPECT_THAT(with(type, "spec"), testing::IsEmpty());
    EXPECT_THAT(with(type, "upload"), testing::IsEmpty());
  }
  const std::string subject = " kv[llama.rope.scaling.type].value";
  EXPECT_THAT(with("longrope", "upload"), testing::IsEmpty());
  EXPECT_THAT(
      with("longrope", "spec"),
      testing::ElementsAre("warning rope-scaling-type-in-spec" + subject));
  for (const char* profile : {"upload", "spec", "llama.cpp"}) {
    EXPECT_THAT(
        with("Yarn", profile),
        testing::ElementsAre("error rope-scaling-type-known" + subject));
    EXPECT_THAT(
        with("yarn", profile, false),
        testing::ElementsAre("warning yarn-original-context-length" + subject));
  }
}

TEST(HparamChecksTest, EpsilonsAndBasesArePositive) {
  const auto with = [](const char* key, uint32_t bits) {
    return OfHparams(Start("llama").Key(key, kF32, ByteWriter().U32(bits)));
  };
  for (const std::string key :
       {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base"}) {
    const auto wrong = testing::ElementsAre(
        "warning hparam-float-positive kv[" + key + "].value");
    EXPECT_THAT(with(key.c_str(), 0x3727C5AC), testing::IsEmpty());  // 1e-5
    EXPECT_THAT(with(key.c_str(), 0), wrong);
    EXPECT_THAT(with(key.c_str(), 0x80000000), wrong);  // -0
    EXPECT_THAT(with(key.c_str(), 0xBF800000), wrong);  // -1
    // NaN: metadata-float-finite.
    EXPECT_THAT(with(key.c_str(), 0x7FC00000), testing::IsEmpty());
  }
}

TEST(HparamChecksTest, AHostileNameIsEscaped) {
  GgufBuilder b = Start("a\x1b[31m");
  b.U32("a\x1b[31m.attention.head_count", 7)
      .U32("a\x1b[31m.embedding_length", 64);
  const std::string bytes = b.Build();
  for (const Finding& finding :
       Validate(AsBytes(bytes), "", *Profile::Find("upload"), {}).findings) {
    EXPECT_FALSE(absl::StrContains(finding.diagnostic.message, "\x1b"));
  }
}

}  // namespace
}  // namespace gguf
