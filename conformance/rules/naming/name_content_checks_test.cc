// Tests of file names whose parts do not match the file.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF16 = 1;
constexpr uint32_t kQ8_0 = 8;

const FindingsOf kName = {{"file-name-basename", "file-name-size-label", "size-label-parameters",
                           "file-name-version", "file-name-encoding", "file-name-type",
                           "file-name-shard-number", "file-name-shard-keys"}};

// 64,000 parameters in F16.
GgufBuilder File() { return PlainFile().Tensor("w", {1000, 64}, kF16); }

std::vector<std::string> Found(const GgufBuilder& file, absl::string_view name) {
  return kName.MessagesIn(file, "upload", name);
}

TEST(NameContentChecksTest, Basename) {
  GgufBuilder b = File().String("general.basename", "Tiny Llama");
  EXPECT_THAT(Found(b, "Tiny-Llama-64K-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "tiny-llama-64K-Chat-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "Huge-Llama-64K-v1.0.gguf"),
              ElementsAre("file.name has \"Huge-Llama\", but general.basename is \"Tiny Llama\""));
  // What the convention has no characters for.
  b = File().String("general.basename", "Llama 3.1");
  EXPECT_THAT(Found(b, "Llama-3-1-64K-v1.0.gguf"), IsEmpty());
  EXPECT_EQ(Found(b, "Llama-3-2-64K-v1.0.gguf").size(), 1);
}

TEST(NameContentChecksTest, SizeLabel) {
  GgufBuilder b = File().String("general.size_label", "64K");
  EXPECT_THAT(Found(b, "X-64K-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "X-64k-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "X-65K-v1.0.gguf"),
              ElementsAre("file.name has \"65K\", but general.size_label is \"64K\""));
}

TEST(NameContentChecksTest, Parameters) {
  for (const char* right : {"33K", "64K", "128K", "0.1M", "3x30K", "64K-A3K"}) {
    EXPECT_THAT(Found(File(), std::string("X-") + right + "-v1.0.gguf"), IsEmpty()) << right;
  }
  for (const char* wrong : {"31K", "129K", "64M", "7B", "2x15K"}) {
    EXPECT_EQ(Found(File(), std::string("X-") + wrong + "-v1.0.gguf").size(), 1) << wrong;
  }
  EXPECT_THAT(Found(File(), "X-7B-v1.0.gguf"),
              ElementsAre("file.name has \"7B\", but the tensors have 64000 parameters"));
  // The key comes before the name.
  GgufBuilder b = File().String("general.size_label", "7B");
  EXPECT_THAT(
      Found(b, ""),
      ElementsAre(
          "kv[general.size_label].value has \"7B\", but the tensors have 64000 parameters"));
  b.String("general.type", "adapter");
  EXPECT_THAT(kName.NotCheckedIn(b, "upload", "X-7B-v1.0-LoRA.gguf"),
              ElementsAre("size-label-parameters: the label is that of another file"));
  GgufBuilder huge = PlainFile();
  for (const char* name : {"a", "b", "c"}) {
    huge.Tensor(name, {1ull << 62, 1}, kF16, 0);
  }
  EXPECT_THAT(kName.In(huge, "upload", "X-7B-v1.0.gguf").size(), 1);
  huge.Tensor("d", {1ull << 62, 1}, kF16, 0).Tensor("e", {1ull << 62}, kF16, 0);
  EXPECT_THAT(kName.NotCheckedIn(huge, "upload", "X-7B-v1.0.gguf"),
              ElementsAre("size-label-parameters: the parameters cannot be counted"));
}

TEST(NameContentChecksTest, Version) {
  GgufBuilder b = File().String("general.version", "1.0");
  for (const char* name : {"X-64K-v1.0.gguf", "X-64K-v1.gguf", "X-64K-v1.0.0.gguf"}) {
    EXPECT_THAT(Found(b, name), IsEmpty()) << name;
  }
  EXPECT_THAT(Found(b, "X-64K-v1.1.gguf"),
              ElementsAre("file.name has \"v1.1\", but general.version is \"1.0\""));
  GgufBuilder words = File().String("general.version", "final");
  EXPECT_THAT(Found(words, "X-64K-v1.1.gguf"), IsEmpty());
  EXPECT_THAT(Found(File().String("general.version", "v2"), "X-64K-v2.gguf"), IsEmpty());
  const GgufBuilder date = File().String("general.version", "2024-07");
  EXPECT_THAT(Found(date, "X-64K-v2024.07.gguf"), IsEmpty());
  EXPECT_EQ(Found(date, "X-64K-v2024.08.gguf").size(), 1);
  EXPECT_THAT(kName.NotCheckedIn(words, "upload", "X-64K-v1.1.gguf"),
              ElementsAre("file-name-version: general.version is not a number"));
}

TEST(NameContentChecksTest, Encoding) {
  EXPECT_THAT(Found(File(), "X-64K-v1.0-F16.gguf"), IsEmpty());
  EXPECT_THAT(Found(File(), "X-64K-v1.0-f16.gguf"), IsEmpty());
  EXPECT_THAT(Found(File(), "X-64K-v1.0-Q8_0.gguf"), IsEmpty());  // 1000 % 32.
  const GgufBuilder b = File().Tensor("v", {1024, 32}, kF16);
  for (const char* encoding : {"Q8_0", "Q4_K_M", "BF16", "F32", "IQ2_XXS"}) {
    EXPECT_EQ(Found(b, std::string("X-64K-v1.0-") + encoding + ".gguf").size(), 1) << encoding;
  }
  EXPECT_THAT(
      Found(b, "X-64K-v1.0-Q8_0.gguf"),
      ElementsAre("file.name has \"Q8_0\", but this is the type of 0 of 1 matrix; F16 is the "
                  "type of 1"));
  EXPECT_THAT(kName.NotCheckedIn(b, "upload", "X-64K-v1.0-KQ2.gguf"),
              ElementsAre("file-name-encoding: the encoding is not known"));
}

TEST(NameContentChecksTest, Type) {
  GgufBuilder adapter = File().String("general.type", "adapter");
  const GgufBuilder vocabulary = PlainFile();
  EXPECT_THAT(Found(File(), "X-64K-v1.0-F16.gguf"), IsEmpty());
  EXPECT_THAT(Found(adapter, "X-64K-v1.0-F16-LoRA.gguf"), IsEmpty());
  EXPECT_THAT(Found(vocabulary, "X-64K-v1.0-vocab.gguf"), IsEmpty());
  EXPECT_THAT(Found(File(), "X-64K-v1.0-F16-LoRA.gguf"),
              ElementsAre("file.name has LoRA, but general.type is not adapter"));
  EXPECT_THAT(Found(adapter, "X-64K-v1.0-F16.gguf"),
              ElementsAre("file.name has no LoRA, but general.type is adapter"));
  EXPECT_THAT(Found(File(), "X-64K-v1.0-vocab.gguf"),
              ElementsAre("file.name has vocab, but the file has more than a vocabulary"));
  EXPECT_THAT(Found(vocabulary, "X-64K-v1.0.gguf"),
              ElementsAre("file.name has no vocab, but the file has no tensors"));
  EXPECT_THAT(Found(File(), "mmproj-X-64K-v1.0.gguf"),
              ElementsAre("file.name has mmproj, but general.type is not mmproj"));
  EXPECT_THAT(Found(File().String("general.type", "mmproj"), "mmproj-X-64K-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(adapter, "mmproj-X-64K-v1.0-F16-LoRA.gguf"), IsEmpty());
  // model-type-stated reports the contradiction, not this rule.
  const auto model = [](const char* type) {
    return PlainFile().String("general.type", type).Tensor("token_embd.weight", {1000, 64}, kF16);
  };
  EXPECT_THAT(Found(model("mmproj"), "mmproj-X-64K-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(model("adapter"), "X-64K-v1.0-F16-LoRA.gguf"), IsEmpty());
}

TEST(NameContentChecksTest, FineTune) {
  const FindingsOf tune = {{"file-name-finetune"}};
  const GgufBuilder b = File().String("general.finetune", "Long Chat");
  EXPECT_THAT(tune.In(b, "upload", "X-64K-Long-Chat-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(tune.In(b, "upload", "X-long-chat.Q4_K_M.gguf"), IsEmpty());
  EXPECT_THAT(tune.In(File(), "upload", "X-64K-Chat-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(tune.MessagesIn(b, "upload", "X-64K-v1.0.gguf"),
              ElementsAre("file.name has no fine-tune, but general.finetune is \"Long Chat\""));
  EXPECT_THAT(tune.MessagesIn(b, "upload", "X-64K-Chat-v1.0.gguf"),
              ElementsAre("file.name has \"Chat\", but general.finetune is \"Long Chat\""));
}

TEST(NameContentChecksTest, Experts) {
  const FindingsOf experts = {{"file-name-expert-count"}};
  const GgufBuilder b = PlainFile().U32("llama.expert_count", 8);
  for (const char* right : {"X-8x7B-v1.0.gguf", "X-8x7b.Q4_K_M.gguf", "X-7B-v1.0.gguf",
                            "X-30B-A3B-Q8_0.gguf", "X-3B-Context4k-v1.0.gguf"}) {
    EXPECT_THAT(experts.In(b, "upload", right), IsEmpty()) << right;
  }
  EXPECT_THAT(experts.MessagesIn(b, "upload", "X-4x7B-v1.0.gguf"),
              ElementsAre("file.name has \"4x7B\", but llama.expert_count is 8"));
  EXPECT_THAT(experts.MessagesIn(PlainFile(), "upload", "X-4x7b.Q4_K_M.gguf"),
              ElementsAre("file.name has \"4x7b\", but llama.expert_count is missing"));
}

TEST(NameContentChecksTest, ScaleLetters) {
  const FindingsOf scale = {{"file-name-size-label-scale"}};
  for (const char* right :
       {"X-7B-v1.0.gguf", "X-7b-v1.0.gguf", "X-7q-v1.0.gguf", "X--v1.0.gguf", "X-7X.gguf"}) {
    EXPECT_THAT(scale.In(File(), "spec", right), IsEmpty()) << right;
  }
  EXPECT_THAT(scale.MessagesIn(File(), "spec", "X-7X-v1.0.gguf"),
              ElementsAre("file.name has \"7X\", with a letter that is not a scale"));
  // A context length is not a size.
  EXPECT_THAT(scale.In(File(), "spec", "X-mini-4k-instruct-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(File().String("general.basename", "X mini 4k"), "X-mini-4k-instruct-v1.0.gguf"),
              IsEmpty());
}

// 256 rows of 256 weights.
GgufBuilder Wide(uint32_t type) { return PlainFile().Tensor("w", {256, 256}, type); }

TEST(NameContentChecksTest, NamesOutsideTheConvention) {
  for (const char* name : {"X-Q4_K_M.gguf", "x.q4_k_m.gguf", "X-UD-Q4_K_XL.gguf", "X.i1-IQ2_M.gguf",
                           "X-0.06M-Q6_K_L.gguf", "X-MXFP4_MOE.gguf"}) {
    EXPECT_THAT(kName.In(Wide(kF16), "upload", name),
                ElementsAre("note file-name-encoding file.name"))
        << name;
  }
  for (const char* name : {"X-F16.gguf", "X.fp16.gguf", "X-f32.gguf", "X-bf16.gguf", "X-Q4.gguf",
                           "X-Q4_K_M-imat.gguf", "X-Q8_0-F32.gguf", "X.gguf"}) {
    EXPECT_THAT(kName.In(Wide(kF16), "upload", name), IsEmpty()) << name;
  }
  EXPECT_THAT(kName.In(Wide(kQ8_0), "upload", "X-Q4_K_M.gguf"), IsEmpty());
  EXPECT_THAT(kName.In(Wide(kQ8_0), "upload", "X.fp16.gguf"),
              ElementsAre("note file-name-encoding file.name"));
  // 65,536 parameters.
  for (const char* name : {"X-0.1M-F16.gguf", "X-0.06M.f16.gguf", "Llama-4-17B-16E-F16.gguf",
                           "X-4k-f16.gguf", "mmproj-X-7B-f16.gguf", "X-7B-eagle3-f16.gguf"}) {
    EXPECT_THAT(FindingsOf{{"size-label-parameters"}}.In(Wide(kF16), "upload", name), IsEmpty())
        << name;
  }
  EXPECT_THAT(kName.In(Wide(kF16), "upload", "Meta-Llama-3.1-8B-f16.gguf"),
              ElementsAre("note size-label-parameters file.name"));
  const GgufBuilder stated = PlainFile().String("general.size_label", "8B");
  EXPECT_THAT(Found(stated, "X-7b.Q4_K_M.gguf"), IsEmpty());
  EXPECT_THAT(Found(stated, "X-1b.Q4_K_M.gguf"),
              ElementsAre("file.name has \"1b\", but general.size_label is \"8B\""));
}

// Quantizers give tensors more bits that matter more, and keep experts that
// they cannot quantize, so that the type of the name may be in the minority.
TEST(NameContentChecksTest, Mixes) {
  struct Share {
    std::vector<uint64_t> dims;
    uint32_t type;
  };
  constexpr uint32_t kF32 = 0, kQ4_K = 12, kQ6_K = 14, kMxfp4 = 39;
  const auto mix = [](const std::vector<Share>& shares) {
    GgufBuilder b = PlainFile();
    for (size_t i = 0; i < shares.size(); ++i) {
      b.Tensor("t" + std::to_string(i), shares[i].dims, shares[i].type, 0);
    }
    return b;
  };
  const FindingsOf encoding = {{"file-name-encoding"}};
  const auto is_found = [&](const GgufBuilder& b, absl::string_view encoding_) {
    const std::string name(encoding_);
    const bool strict = !encoding.In(b, "upload", "X-1B-v1.0-" + name + ".gguf").empty();
    const bool loose = !encoding.In(b, "upload", "X-1b." + name + ".gguf").empty();
    return std::make_pair(strict, loose);
  };
  const auto kNeither = std::make_pair(false, false);
  const auto kStrict = std::make_pair(true, false);
  const auto kBoth = std::make_pair(true, true);
  // The rows of the experts of gpt-oss fit MXFP4, but not Q4_K; attention is of
  // another type.
  for (const uint32_t type : {kF16, kQ8_0}) {
    const GgufBuilder oss = mix({{{2880, 2880, 32}, kMxfp4},
                                 {{2880, 2880, 32}, kMxfp4},
                                 {{2880, 4096}, type},
                                 {{4096, 2880}, type}});
    EXPECT_EQ(is_found(oss, "Q4_K_M"), kNeither);
    EXPECT_EQ(is_found(oss, "MXFP4"), kNeither);
    EXPECT_EQ(is_found(oss, "MXFP4_MOE"), kNeither);
  }
  EXPECT_EQ(is_found(mix({{{2880, 2880, 32}, kF16}, {{4096, 2880}, kF16}}), "Q4_K_M"), kBoth);
  // Without experts, MXFP4_MOE is Q8_0.
  EXPECT_EQ(is_found(mix({{{256, 256}, kQ8_0}}), "MXFP4_MOE"), kNeither);
  EXPECT_EQ(is_found(mix({{{256, 256}, kQ8_0}}), "MXFP4"), kStrict);
  // Fused projections of Phi-3: in Q3_K_M, only the largest keeps Q3_K.
  const GgufBuilder fused =
      mix({{{3072, 9216}, 12}, {{3072, 3072}, 12}, {{8192, 3072}, 12}, {{3072, 16384}, 11}});
  EXPECT_EQ(is_found(fused, "Q3_K_M"), kNeither);
  EXPECT_EQ(is_found(fused, "Q5_K_M"), kStrict);
  // Small F32 matrices: the router of experts, and those of Mamba.
  const GgufBuilder mamba = mix({{{256, 4096}, kF16},
                                 {{256, 4096}, kF16},
                                 {{4, 4096}, kF32},
                                 {{1, 64}, kF32},
                                 {{256, 8}, kF32}});
  EXPECT_EQ(is_found(mamba, "F16"), kNeither);
  EXPECT_EQ(is_found(mamba, "BF16"), kStrict);
  EXPECT_EQ(is_found(mamba, "Q4_K_M"), kBoth);
  // Q4_K_XL of a mix without a most frequent type.
  const GgufBuilder dynamic = mix({{{256, 512}, kQ4_K},
                                   {{256, 256}, kQ6_K},
                                   {{256, 256}, kQ8_0},
                                   {{256, 8}, kF32},
                                   {{256, 16}, kF32}});
  EXPECT_EQ(is_found(dynamic, "UD-Q4_K_XL"), kNeither);
  EXPECT_EQ(is_found(dynamic, "F16"), kBoth);
  // Embeddings as floats, larger than all blocks.
  const GgufBuilder small = mix({{{256, 65536}, kF16}, {{256, 256}, kQ4_K}, {{256, 256}, kQ4_K}});
  EXPECT_EQ(is_found(small, "Q4_K_M"), kNeither);
  EXPECT_EQ(is_found(small, "F16"), kNeither);
}

TEST(NameContentChecksTest, PredictedTokens) {
  const GgufBuilder whole = PlainFile().Tensor("blk.0.w", {1000, 64}, kF16);
  const GgufBuilder heads = PlainFile().Tensor("blk.1.w", {1000, 64}, kF16);
  EXPECT_THAT(Found(heads, "mtp-X-7B-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(whole, "mtp-X-7B-v1.0.gguf"),
              ElementsAre("file.name has mtp, but the file has the blocks of the model"));
}

TEST(NameContentChecksTest, WithoutANameNothingIsCompared) {
  GgufBuilder b = File().String("general.basename", "X");
  EXPECT_THAT(kName.In(b, "pedantic"), IsEmpty());
  EXPECT_THAT(kName.NotCheckedIn(b), testing::Contains("file-name-basename: the file has no name"));
  EXPECT_THAT(Found(b, "outside the convention"), IsEmpty());
  EXPECT_THAT(kName.In(File(), "pedantic", "X-7B-v1.0.gguf"),
              ElementsAre("warning size-label-parameters file.name"));
}

}  // namespace
}  // namespace gguf
