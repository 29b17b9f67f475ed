// The tensors of LoRA adapters.
//
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const FindingsOf kLora = {{"lora-tensor-named", "lora-norm-unused", "lora-tensors-paired",
                           "lora-ranks-agree", "lora-experts-agree", "lora-weights-computable"}};

constexpr uint32_t kI8 = 24, kF64 = 28;

using Tensors = std::vector<std::pair<const char*, std::vector<uint64_t>>>;

GgufBuilder Lora(const Tensors& tensors, uint32_t type = 0, const char* architecture = "llama") {
  GgufBuilder b;
  b.String("general.type", "adapter").String("general.architecture", architecture);
  for (const auto& [name, dims] : tensors) b.Tensor(name, dims, type);
  return b;
}

TEST(LoraChecksTest, TensorNamed) {
  EXPECT_THAT(kLora.In(Lora({{"w.lora_a", {8, 2}}, {"w.lora_b", {2, 8}}})), IsEmpty());
  EXPECT_THAT(kLora.MessagesIn(Lora({{"w", {8}}, {"w.lora_c", {8}}})),
              ElementsAre("tensor[w] ends with neither .lora_a nor .lora_b",
                          "tensor[w.lora_c] ends with neither .lora_a nor .lora_b"));
  EXPECT_THAT(kLora.In(Lora({{"blk.0.attn_norm.weight", {8}}})),
              ElementsAre("note lora-norm-unused tensor[blk.0.attn_norm.weight]"));
}

TEST(LoraChecksTest, TensorsPaired) {
  EXPECT_THAT(kLora.MessagesIn(Lora({{"v.lora_b", {2, 8}}, {"w.lora_a", {8, 2}}})),
              ElementsAre("tensor[v.lora_b] has no matching .lora_a tensor",
                          "tensor[w.lora_a] has no matching .lora_b tensor"));
}

TEST(LoraChecksTest, RanksAgree) {
  EXPECT_THAT(kLora.MessagesIn(Lora({{"w.lora_a", {8, 2}}, {"w.lora_b", {3, 8}}})),
              ElementsAre("tensor[w.lora_b].dims have rank 3, but \"w.lora_a\" has rank 2"));
  // For the embeddings, A is transposed.
  EXPECT_THAT(
      kLora.In(Lora({{"token_embd.weight.lora_a", {2, 10}}, {"token_embd.weight.lora_b", {2, 8}}})),
      IsEmpty());
  EXPECT_THAT(
      kLora.In(Lora({{"token_embd.weight.lora_a", {10, 2}}, {"token_embd.weight.lora_b", {2, 8}}}),
               "safety"),
      ElementsAre("error lora-ranks-agree tensor[token_embd.weight.lora_b].dims"));
  EXPECT_THAT(kLora.MessagesIn(Lora({{"w.lora_a", {8, 0}}, {"w.lora_b", {0, 8}}})),
              ElementsAre("tensor[w.lora_b].dims have rank 0, but at least 1 is needed"));
  // A missing dimension counts as 1.
  EXPECT_THAT(kLora.In(Lora({{"w.lora_a", {8}}, {"w.lora_b", {1, 8}}})), IsEmpty());
}

TEST(LoraChecksTest, ExpertsAgree) {
  EXPECT_THAT(kLora.In(Lora({{"w.lora_a", {8, 2, 3}}, {"w.lora_b", {2, 8, 3}}})), IsEmpty());
  EXPECT_THAT(kLora.MessagesIn(Lora({{"w.lora_a", {8, 2, 3}}, {"w.lora_b", {2, 8}}})),
              ElementsAre("tensor[w.lora_b].dims have 1 expert, but \"w.lora_a\" has 3"));
  EXPECT_THAT(kLora.MessagesIn(Lora({{"w.lora_a", {8, 2, 1, 4}}, {"w.lora_b", {2, 8}}})),
              ElementsAre("tensor[w.lora_a].dims have a fourth dimension, 4"));
}

TEST(LoraChecksTest, WeightsComputable) {
  const Tensors query = {{"blk.0.attn_q.weight.lora_a", {8, 2}},
                         {"blk.0.attn_q.weight.lora_b", {2, 8}}};
  EXPECT_THAT(kLora.In(Lora(query)), IsEmpty());
  for (const uint32_t type : {kI8, kF64}) {
    EXPECT_THAT(
        kLora.In(Lora(query, type), "safety"),
        ElementsAre("error lora-weights-computable tensor[blk.0.attn_q.weight.lora_a].type",
                    "error lora-weights-computable tensor[blk.0.attn_q.weight.lora_b].type"));
  }
}

// llama.cpp multiplies with none of these.
TEST(LoraChecksTest, UnusedMatricesAreNotJudged) {
  const Tensors norm = {{"blk.0.attn_norm.weight.lora_a", {8, 2, 3}},
                        {"blk.0.attn_norm.weight.lora_b", {2, 1}}};
  EXPECT_THAT(kLora.In(Lora(norm, kI8)), IsEmpty());
  const Tensors output = {{"output.weight.lora_a", {8, 2}}, {"output.weight.lora_b", {2, 9}}};
  EXPECT_THAT(kLora.In(Lora(output, kI8, "mistral4")), IsEmpty());
  EXPECT_THAT(kLora.In(Lora(output, kI8)), SizeIs(2));
  // Its name only ends like that of the output.
  const Tensors attention = {{"blk.0.attn_output.weight.lora_a", {8, 2}}};
  EXPECT_THAT(kLora.In(Lora(attention, kI8, "mistral4")), SizeIs(2));
  const Tensors embeddings = {{"per_layer_token_embd.weight.lora_a", {2, 10}},
                              {"per_layer_token_embd.weight.lora_b", {3, 8}}};
  EXPECT_THAT(kLora.In(Lora(embeddings)), IsEmpty());
}

TEST(LoraChecksTest, OtherFilesAreNotJudged) {
  GgufBuilder b;
  b.String("general.architecture", "llama").Tensor("w", {8}, 0).Tensor("w.lora_a", {8, 2}, 0);
  EXPECT_THAT(kLora.In(b), IsEmpty());
}

}  // namespace
}  // namespace gguf
