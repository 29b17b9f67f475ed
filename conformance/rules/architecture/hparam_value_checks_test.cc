// Hyperparameters that are arrays, texts and floats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

constexpr uint32_t kF32 = 6, kArray = 9;

ByteWriter ArrayOf(const std::vector<uint32_t>& numbers) {
  ByteWriter value;
  value.U32(5).U64(numbers.size());
  for (const uint32_t number : numbers) value.U32(number);
  return value;
}

TEST(HparamValueChecksTest, ArraysHaveAnElementForEachBlock) {
  const auto with = [](const std::vector<uint32_t>& numbers) {
    return HparamFindings(FileOf("llama")
                              .U32("llama.block_count", 3)
                              .Key("llama.attention.head_count", kArray, ArrayOf(numbers)));
  };
  EXPECT_THAT(with({8, 4, 0}), testing::IsEmpty());
  const auto wrong =
      testing::ElementsAre("error hparam-array-length kv[llama.attention.head_count].value");
  EXPECT_THAT(with({}), wrong);
  EXPECT_THAT(with({8}), wrong);
  EXPECT_THAT(with({8, 4, 0, 1}), wrong);
  EXPECT_THAT(with(std::vector<uint32_t>(513, 8)), wrong);
}

TEST(HparamValueChecksTest, SomeArraysHaveAllowedValues) {
  const auto mapped = [](const std::vector<uint32_t>& inputs) {
    return HparamFindings(FileOf("granite")
                              .U32("granite.block_count", 3)
                              .Key("granite.deepstack_mapping", kArray, ArrayOf(inputs)));
  };
  const uint32_t none = ~0u;  // -1
  EXPECT_THAT(mapped({none, 0, 1}), testing::IsEmpty());
  EXPECT_THAT(mapped({none, 2, 1}), testing::IsEmpty());  // As in llama.cpp.
  EXPECT_THAT(mapped({none, 3, 1}),
              testing::ElementsAre(
                  "error hparam-array-values-in-range kv[granite.deepstack_mapping].value[1]"));

  const auto substituted = [](const std::vector<uint32_t>& tokens) {
    return HparamFindings(
        FileOf("graniteswitch")
            .U32("graniteswitch.block_count", 3)
            .U32("graniteswitch.vocab_size", 10)
            .U32("graniteswitch.adapters.count", 2)
            .String("tokenizer.ggml.model", "none")
            .Key("graniteswitch.adapters.token_ids_substitute", kArray, ArrayOf(tokens)));
  };
  const auto wrong = testing::ElementsAre(
      "error hparam-array-values-in-range "
      "kv[graniteswitch.adapters.token_ids_substitute].value[1]");
  EXPECT_THAT(substituted({0, 9}), testing::IsEmpty());
  EXPECT_THAT(substituted({0, 10}), wrong);
  EXPECT_THAT(substituted({0, none}), wrong);
}

TEST(HparamValueChecksTest, TheGateOfBailingmoe3IsBounded) {
  const auto with = [](float bound) {
    uint32_t bits;
    std::memcpy(&bits, &bound, sizeof bits);
    return HparamFindings(
        FileOf("bailingmoe3")
            .U32("bailingmoe3.block_count", 3)
            .Key("bailingmoe3.kda.gate_lower_bound", kF32, ByteWriter().U32(bits)));
  };
  EXPECT_THAT(with(-0.5f), testing::IsEmpty());
  const auto wrong = testing::ElementsAre(
      "error architecture-hparams-consistent kv[bailingmoe3.kda.gate_lower_bound].value");
  EXPECT_THAT(with(0), wrong);
  EXPECT_THAT(with(0.5f), wrong);
}

TEST(HparamValueChecksTest, AnArraysElementIsNamed) {
  EXPECT_THAT(HparamFindings(FileOf("llama")
                                 .U32("llama.block_count", 3)
                                 .U32("llama.attention.head_count", 8)
                                 .Key("llama.attention.head_count_kv", kArray, ArrayOf({8, 0, 5}))),
              testing::ElementsAre(
                  "error head-count-kv-divides kv[llama.attention.head_count_kv].value[2]"));
}

TEST(HparamValueChecksTest, RopeScalingTypes) {
  const auto with = [](const char* type, absl::string_view profile, bool original = true) {
    GgufBuilder b = FileOf("llama");
    b.String("llama.rope.scaling.type", type);
    if (original) b.U32("llama.rope.scaling.original_context_length", 1024);
    return HparamFindings(b, profile);
  };
  for (const char* type : {"none", "linear", "yarn"}) {
    EXPECT_THAT(with(type, "spec"), testing::IsEmpty());
    EXPECT_THAT(with(type, "upload"), testing::IsEmpty());
  }
  const std::string subject = " kv[llama.rope.scaling.type].value";
  EXPECT_THAT(with("longrope", "upload"), testing::IsEmpty());
  EXPECT_THAT(with("longrope", "spec"),
              testing::ElementsAre("warning rope-scaling-type-in-spec" + subject));
  for (const char* profile : {"upload", "spec", "llama.cpp"}) {
    EXPECT_THAT(with("Yarn", profile),
                testing::ElementsAre("error rope-scaling-type-known" + subject));
    EXPECT_THAT(with("yarn", profile, false),
                testing::ElementsAre("warning yarn-original-context-length" + subject));
  }
}

TEST(HparamValueChecksTest, EpsilonsAndBasesArePositive) {
  const auto with = [](const char* key, uint32_t bits) {
    return HparamFindings(FileOf("llama").Key(key, kF32, ByteWriter().U32(bits)));
  };
  for (const std::string key : {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base"}) {
    const auto wrong = testing::ElementsAre("warning hparam-float-positive kv[" + key + "].value");
    EXPECT_THAT(with(key.c_str(), 0x3727C5AC), testing::IsEmpty());  // 1e-5
    EXPECT_THAT(with(key.c_str(), 0), wrong);
    EXPECT_THAT(with(key.c_str(), 0x80000000), wrong);  // -0
    EXPECT_THAT(with(key.c_str(), 0xBF800000), wrong);  // -1
    // NaN: metadata-float-finite.
    EXPECT_THAT(with(key.c_str(), 0x7FC00000), testing::IsEmpty());
  }
}

TEST(HparamValueChecksTest, AnEndlessNameIsNotCopiedForEachKey) {
  EXPECT_THAT(HparamFindings(FileOf(std::string(32 << 20, 'a'))),
              testing::ElementsAre("warning architecture-known kv[general.architecture].value"));
}

TEST(HparamValueChecksTest, AHostileNameIsEscaped) {
  GgufBuilder b = FileOf("a\x1b[31m");
  b.U32("a\x1b[31m.attention.head_count", 7).U32("a\x1b[31m.embedding_length", 64);
  const std::string bytes = b.Build();
  for (const Finding& finding : Validate(AsBytes(bytes), *Profile::Find("upload"), {}).findings) {
    EXPECT_FALSE(absl::StrContains(finding.diagnostic.message, "\x1b"));
  }
}

}  // namespace
}  // namespace gguf
