// Tests the kinds of files by their keys and tensors.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/gguf_kind.h"

#include <string>
#include <utility>
#include <vector>

#include "conformance/model/model.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using Strings = std::vector<std::pair<const char*, const char*>>;
using Names = std::vector<const char*>;

// "lora", or "lora, tensors of projector" when they contradict each other.
std::string KindIn(const GgufBuilder& builder) {
  const std::string bytes = builder.Build();
  Diagnostics found(1);
  const Model model(Parse(AsBytes(bytes), {}, &found));
  std::string text = WordOf(model.kind().kind);
  if (model.kind().of_tensors) {
    text += std::string(", tensors of ") + WordOf(*model.kind().of_tensors);
  }
  return text;
}

std::string KindOf(const Strings& keys, const Names& tensors) {
  GgufBuilder b;
  for (const auto& [key, value] : keys) b.String(key, value);
  for (const char* name : tensors) b.Tensor(name, {32}, 0);
  return KindIn(b);
}

constexpr char kType[] = "general.type", kArch[] = "general.architecture";

TEST(GgufKindTest, ByGeneralType) {
  EXPECT_EQ(KindOf({{kType, "adapter"}, {kArch, "llama"}}, {}), "lora");
  EXPECT_EQ(KindOf({{kType, "imatrix"}}, {}), "importance-matrix");
  EXPECT_EQ(KindOf({{kType, "mmproj"}}, {"v.blk.0.ln1.weight"}), "projector");
  EXPECT_EQ(KindOf({{kType, "clip-vision"}}, {"v.x"}), "projector");
  EXPECT_EQ(KindOf({{kType, "model"}, {kArch, "llama"}}, {"w"}), "language-model");
  EXPECT_EQ(KindOf({{kType, "nonsense"}, {kArch, "llama"}}, {"w"}), "language-model");
}

// llama.cpp's loader of models does not read general.type.
TEST(GgufKindTest, AModelWithTheTypeOfAnotherKind) {
  const auto of = [](const char* type, const char* arch, const Names& tensors) {
    return KindOf({{kType, type}, {kArch, arch}}, tensors);
  };
  for (const char* type : {"adapter", "imatrix", "mmproj"}) {
    EXPECT_EQ(of(type, "llama", {"token_embd.weight", "w"}), "language-model");
  }
  EXPECT_EQ(of("adapter", "bert", {"token_embd.weight"}), "embedding-model");
  EXPECT_EQ(of("adapter", "llama", {"output.weight"}), "lora");
  EXPECT_EQ(of("adapter", "llama", {"token_embd.weight", "w.lora_a"}), "lora");
  EXPECT_EQ(of("adapter", "unknown", {"token_embd.weight"}), "lora");
}

TEST(GgufKindTest, ByArchitecture) {
  EXPECT_EQ(KindOf({{kArch, "clip"}}, {"v.x"}), "projector");
  EXPECT_EQ(KindOf({{kArch, "controlvector"}}, {"direction.1"}), "control-vector");
  EXPECT_EQ(KindOf({{kArch, "flux"}}, {"img_in.weight"}), "image-model");
  EXPECT_EQ(KindOf({{kType, "model"}, {kArch, "wan"}}, {"x"}), "image-model");
  EXPECT_EQ(KindOf({{kArch, "bert"}}, {"w"}), "embedding-model");
  EXPECT_EQ(KindOf({{kArch, "whisper"}}, {"w"}), "speech-model");
  EXPECT_EQ(KindOf({{kArch, "anything"}}, {"w"}), "language-model");
}

TEST(GgufKindTest, ByPoolingType) {
  GgufBuilder b;
  b.String(kArch, "qwen3").U32("qwen3.pooling_type", 4).Tensor("w", {32}, 0);
  EXPECT_EQ(KindIn(b), "reranker");
  GgufBuilder last;
  last.String(kArch, "qwen3").U32("qwen3.pooling_type", 3).Tensor("w", {32}, 0);
  EXPECT_EQ(KindIn(last), "embedding-model");
  GgufBuilder none;
  none.String(kArch, "qwen3").U32("qwen3.pooling_type", 0).Tensor("w", {32}, 0);
  EXPECT_EQ(KindIn(none), "language-model");
}

TEST(GgufKindTest, VocabulariesAndShards) {
  EXPECT_EQ(KindOf({{kArch, "llama"}}, {}), "vocabulary");
  EXPECT_EQ(KindOf({{kArch, "bert"}}, {}), "vocabulary");
  GgufBuilder b;
  b.Key("split.no", 2, ByteWriter().U16(1)).Key("split.count", 2, ByteWriter().U16(2));
  EXPECT_EQ(KindIn(b), "shard");
}

// If the keys do not decide, the tensors do.
TEST(GgufKindTest, ByTensors) {
  EXPECT_EQ(KindOf({{kArch, "llama"}}, {"w.lora_a", "w.lora_b"}), "lora");
  EXPECT_EQ(KindOf({{kArch, "llama"}}, {"a_norm.weight", "w.lora_b"}), "lora");
  EXPECT_EQ(KindOf({}, {"direction.1"}), "control-vector");
  EXPECT_EQ(KindOf({}, {"w.in_sum2", "w.counts"}), "importance-matrix");
  EXPECT_EQ(KindOf({}, {"alphas", "model.diffusion_model.x"}), "image-model");
  // Programs for images write files without keys; the same names are no
  // evidence in files with an architecture.
  EXPECT_EQ(KindOf({}, {"alphas", "text_model.x"}), "image-model");
  EXPECT_EQ(KindOf({{kArch, "t5"}}, {"text_model.x"}), "language-model");
  EXPECT_EQ(KindOf({}, {"blk.0.attn_q.weight"}), "language-model");
  // One name among others is no evidence.
  EXPECT_EQ(KindOf({{kArch, "llama"}}, {"w.lora_a", "w"}), "language-model");
  EXPECT_EQ(KindOf({{kArch, "llama"}}, {"a_norm.weight"}), "language-model");
  EXPECT_EQ(KindOf({{kArch, "llama"}}, {"w.lora_a", "direction.1"}), "language-model");
  // graniteswitch has adapters of its own.
  EXPECT_EQ(KindOf({{kArch, "graniteswitch"}}, {"w.lora_a"}), "language-model");
}

TEST(GgufKindTest, KeysAndTensorsThatContradictEachOther) {
  EXPECT_EQ(KindOf({{kType, "model"}, {kArch, "llama"}}, {"w.lora_a"}),
            "language-model, tensors of lora");
  EXPECT_EQ(KindOf({{kType, "imatrix"}}, {"w.lora_a"}), "importance-matrix, tensors of lora");
  EXPECT_EQ(KindOf({{kArch, "clip"}}, {"direction.1"}), "projector, tensors of control-vector");
  EXPECT_EQ(KindOf({{kArch, "flux"}, {kType, "adapter"}}, {"double_blocks.0"}),
            "lora, tensors of image-model");
}

TEST(GgufKindTest, TheTablesOfArchitecturesAreForModels) {
  for (const GgufKind kind : {GgufKind::kLanguageModel, GgufKind::kEmbeddingModel,
                              GgufKind::kReranker, GgufKind::kSpeechModel, GgufKind::kVocabulary}) {
    EXPECT_EQ(WhyNoModel({kind}).text.view(), "") << WordOf(kind);
  }
  for (const GgufKind kind :
       {GgufKind::kShard, GgufKind::kLora, GgufKind::kControlVector, GgufKind::kImportanceMatrix,
        GgufKind::kProjector, GgufKind::kImageModel}) {
    EXPECT_NE(WhyNoModel({kind}).text.view(), "") << WordOf(kind);
  }
  EXPECT_NE(WhyNoModel({GgufKind::kLanguageModel, GgufKind::kLora}).text.view(), "");
}

}  // namespace
}  // namespace gguf
