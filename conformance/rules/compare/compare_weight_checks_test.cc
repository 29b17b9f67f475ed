// Weights of a file against those of its base.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/compare/origin.h"
#include "conformance/model/model.h"
#include "conformance/testing/compared_weights.h"
#include "conformance/testing/tensor_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CompareWeightChecksTest, ZerosHaveNoScale) {
  const std::string bytes = FileOf({{"w", {64}, std::vector<float>(64)}, Random("v", {64})});
  Diagnostics unused(1);
  const Model model(Parse(AsBytes(bytes), Limits(), &unused));
  for (const auto& unchecked : Check(bytes, Origin(model)).not_checked) {
    EXPECT_STRNE(unchecked.rule->id, "compare-scale-equal");
  }
}

TEST(CompareWeightChecksTest, ManyBlocksOfSmallWeightsAreFound) {
  constexpr uint32_t kF16 = 1;
  NamedWeights base = {"w", {256, 64}, std::vector<float>(256 * 64, 1)};
  GgufBuilder file;
  file.String("general.architecture", "llama").Tensor("w", {256, 64}, kF16);
  file.data_bytes = 0;
  for (size_t i = 0; i < base.weights.size(); ++i) {
    const bool is_small = i / 256 % 2 == 1;
    if (is_small) base.weights[i] = 1e-4f;
    file.after_data.append(is_small ? std::string(2, '\0') : std::string("\x00\x3c", 2));
  }
  const std::string base_bytes = FileOf({base});
  Diagnostics unused(1);
  const Model model(Parse(AsBytes(base_bytes), Limits(), &unused));
  EXPECT_THAT(FindingsOf(Check(file.Build(), Origin(model))),
              ElementsAre("compare-error-in-bound: tensor[w].data differs in 32 of 64 blocks of "
                          "256 weights by more than F16 loses; the error of the whole tensor, "
                          "0.0001 times the base's root mean square, is in bound"));
}

TEST(CompareWeightChecksTest, WeightsOfABaseOfZerosAreFound) {
  std::vector<NamedWeights> base = TwoBlocks();
  base[1].weights.assign(64, 0);
  std::vector<NamedWeights> file = base;
  file[1].weights[7] = -0.25f;
  EXPECT_THAT(Found(base, file),
              ElementsAre("compare-error-in-bound: tensor[blk.0.attn_q.bias].data has weights up "
                          "to 0.25, but the squares of those of the base are zero"));
}

TEST(CompareWeightChecksTest, TheSideWithoutFiniteWeightsIsNamed) {
  constexpr char kOf[] = "compare-error-in-bound: tensor[blk.0.attn_q.weight].data ";
  const std::vector<NamedWeights> good = TwoBlocks();
  for (const float weight :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<NamedWeights> bad = good;
    bad[0].weights.back() = weight;
    EXPECT_THAT(Found(good, bad),
                ElementsAre(StartsWith(absl::StrCat(
                    kOf, "has weights that are NaN or infinite, but the base has none; "))));
    EXPECT_THAT(Found(bad, good),
                ElementsAre(StartsWith(absl::StrCat(
                    kOf, "is finite, but the base has weights that are NaN or infinite; "))));
    EXPECT_THAT(Found(bad, bad),
                ElementsAre(StartsWith(
                    absl::StrCat(kOf, "has weights that are NaN or infinite, as has the base; "))));
    // A file of zeros says nothing about the base.
    std::vector<NamedWeights> zeros = good;
    zeros[0].weights.assign(zeros[0].weights.size(), 0);
    EXPECT_THAT(Found(bad, zeros), ElementsAre(StartsWith(absl::StrCat(kOf, "is finite, but "))));
  }
  std::vector<NamedWeights> huge = good;
  huge[0].weights[0] = 1e30f;
  EXPECT_THAT(Found(good, huge), ElementsAre(StartsWith(absl::StrCat(kOf, "cannot be compared"))));
}

// Returns why a rule was not checked.
std::string WhyNotChecked(absl::string_view rule, const FileReport& report) {
  for (const auto& unchecked : report.not_checked) {
    if (unchecked.rule->id == rule) return std::string(unchecked.why.view());
  }
  return "";
}

// Returns why a rule was not checked for a file with tensors of these types,
// against a base with tensors of others.  All bytes but the last of each tensor
// are zero.
std::string WhyNotChecked(absl::string_view rule, const std::vector<uint32_t>& base_types,
                          const std::vector<uint32_t>& types) {
  const auto file = [](const std::vector<uint32_t>& of_types) {
    constexpr size_t kWeights = 512;
    GgufBuilder b;
    b.String("general.architecture", "llama");
    b.data_bytes = 0;
    for (size_t i = 0; i < of_types.size(); ++i) {
      b.Tensor(absl::StrCat("w", i), {kWeights}, of_types[i]);
      const TensorTypeInfo& type = *FindTensorType(of_types[i]);
      b.after_data.append(kWeights / type.block_elements * type.block_bytes, '\0');
      b.after_data.back() = 1;
      b.after_data.resize((b.after_data.size() + 31) / 32 * 32);
    }
    return b.Build();
  };
  const std::string base = file(base_types);
  Diagnostics unused(1);
  const Model model(Parse(AsBytes(base), Limits(), &unused));
  return WhyNotChecked(rule, Check(file(types), Origin(model)));
}

TEST(CompareWeightChecksTest, ABaseOfFewerBitsIsNoted) {
  constexpr uint32_t kF32 = 0, kF16 = 1, kQ4K = 12;
  constexpr char kRule[] = "compare-error-in-bound";
  EXPECT_EQ(WhyNotChecked(kRule, {kQ4K, kQ4K}, {kF16, kF16}),
            "the file has more bits than the base in 2 tensors of F16 against Q4_K: are the "
            "arguments in the order BASE FILE?");
  EXPECT_EQ(WhyNotChecked(kRule, {kF32}, {kF16}), "");
  EXPECT_EQ(WhyNotChecked(kRule, {kF16}, {kF16}), "");
}

TEST(CompareWeightChecksTest, TypesThatShowNoScaleAreNamed) {
  constexpr uint32_t kF16 = 1, kQ4K = 12, kQ2K = 10;
  EXPECT_EQ(WhyNotChecked("compare-scale-equal", {kF16, kF16}, {kQ2K, kQ4K}),
            "2 tensors of Q2_K, Q4_K: too few bits, or too small weights, to show a scale");
}

TEST(CompareWeightChecksTest, ATensorOfAnotherModelIsFound) {
  std::vector<NamedWeights> file = TwoBlocks();
  file.push_back(Random("blk.2.attn_q.bias", {64}));
  file[2].weights = file[0].weights;  // One layer in another.
  EXPECT_THAT(
      Found(TwoBlocks(), file),
      testing::UnorderedElementsAre(
          "compare-tensors-known: tensor[blk.2.attn_q.bias] is not in the base",
          AllOf(HasSubstr(
                    "compare-error-in-bound: tensor[blk.1.attn_q.weight].data is unlike the base"),
                HasSubstr("; it is like \"blk.0.attn_q.weight\" of the base"))));
}

TEST(CompareWeightChecksTest, AnotherOrderIsNamed) {
  std::vector<NamedWeights> base = {Random("w", {64, 64})};
  std::vector<NamedWeights> file = base;
  std::rotate(file[0].weights.begin(), file[0].weights.begin() + 64 * 5, file[0].weights.end());
  EXPECT_THAT(Found(base, file),
              ElementsAre(HasSubstr(
                  "; the rows are in another order: row 1 (from 0) is like row 6 of the base")));
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      file[0].weights[row * 64 + column] = base[0].weights[column * 64 + row];
    }
  }
  EXPECT_THAT(Found(base, file), ElementsAre(HasSubstr("; it is like the base, transposed")));
}

TEST(CompareWeightChecksTest, AnotherScaleIsFound) {
  std::vector<NamedWeights> file = TwoBlocks();
  for (float& weight : file[0].weights) weight *= 1.25f;
  EXPECT_THAT(
      Found(TwoBlocks(), file),
      ElementsAre(HasSubstr("compare-scale-equal: tensor[blk.0.attn_q.weight].data has weights "
                            "that fit the base best if divided by 1.25 (gain 1.25)")));
}

// Blocks of TQ2_0 with the signs of the weights, and one magnitude.
std::string SignsInTq2_0(const std::vector<float>& weights) {
  std::string blocks;
  for (size_t at = 0; at < weights.size(); at += 256) {
    std::string codes(64, '\0');
    for (size_t i = 0; i < 256; ++i) {
      // Byte i % 32 of each half has bits for weights 32 apart.
      const int code = weights[at + i] < 0 ? 0 : 2;
      codes[i / 128 * 32 + i % 32] |= static_cast<char>(code << (i % 128 / 32 * 2));
    }
    blocks += codes + std::string("\x1f\x24", 2);  // f16: 0.016
  }
  return blocks;
}

TEST(CompareWeightChecksTest, WeightsThatHadOneBitAreFound) {
  constexpr uint32_t kTq2_0 = 35;
  const NamedWeights weights = Random("blk.0.attn_q.weight", {256, 64});
  const std::string bytes = FileOf({weights});
  Diagnostics unused(1);
  const Model base(Parse(AsBytes(bytes), Limits(), &unused));
  GgufBuilder b;
  b.String("general.architecture", "llama");
  b.Tensor(weights.name, weights.dims, kTq2_0);
  b.data_bytes = 0;
  b.after_data = SignsInTq2_0(weights.weights);
  EXPECT_THAT(FindingsOf(Check(b.Build(), Origin(base))),
              ElementsAre(AllOf(HasSubstr("compare-error-in-bound"),
                                HasSubstr("after a quantization to one bit"),
                                HasSubstr("TQ2_0 has at least 0.25"))));
}

// Weights of Q5_0 from -15 to 15 times the scale, of which one block has eight
// times the step.
TEST(CompareWeightChecksTest, UnevenTensorsAreListed) {
  constexpr uint32_t kQ5_0 = 6;
  constexpr uint64_t kBlocks = 1024;
  NamedWeights weights = {"w", {32, kBlocks}, {}};
  GgufBuilder b;
  b.String("general.architecture", "llama").Tensor("w", weights.dims, kQ5_0);
  b.data_bytes = 0;
  for (uint64_t block = 0; block < kBlocks; ++block) {
    const bool is_larger = block == 77;
    std::vector<uint32_t> codes;
    for (int i = 0; i < 32; ++i) {
      const int level = std::min(i, 30) - 15;
      weights.weights.push_back(static_cast<float>(level) / 64);
      const double step = is_larger ? 8 : 1;
      codes.push_back(static_cast<uint32_t>(std::lround(level / step) + 16));
    }
    // f16: 1/8 and 1/64.
    b.after_data += std::string(is_larger ? "\x00\x30" : "\x00\x24", 2);
    uint32_t upper = 0;
    for (int i = 0; i < 32; ++i) upper |= codes[i] >> 4 << i;
    for (int i = 0; i < 32; i += 8) {
      b.after_data.push_back(static_cast<char>(upper >> i));
    }
    for (int i = 0; i < 16; ++i) {
      b.after_data.push_back(static_cast<char>((codes[i] & 15) | (codes[i + 16] & 15) << 4));
    }
  }
  const std::string bytes = FileOf({weights});
  Diagnostics unused(1);
  const Model base(Parse(AsBytes(bytes), Limits(), &unused));
  const FileReport report = Check(b.Build(), Origin(base));
  EXPECT_THAT(FindingsOf(report), testing::IsEmpty());
  EXPECT_THAT(WhyNotChecked("compare-blocks-in-bound", report),
              AllOf(StartsWith("an importance matrix that favors few columns"),
                    HasSubstr(": \"w\" (Q5_0), 1 of 128 blocks, the worst ")));
}

TEST(CompareWeightChecksTest, ABlockIsNamed) {
  std::vector<NamedWeights> file = TwoBlocks();
  file[0].weights[2000] += 0.01f;
  EXPECT_THAT(Found(TwoBlocks(), file),
              ElementsAre(HasSubstr("compare-blocks-in-bound: tensor[blk.0.attn_q.weight].data "
                                    "differs in 1 of 64 blocks of 256 weights by more than F32 "
                                    "loses; the error of the worst block, from weight 1792 on")));
}

// In a file with one damaged block, the finding has the bytes of this block, or of the weights
// that are judged with it.
TEST(CompareWeightChecksTest, TheRangeOfABlockIsThatOfItsBytes) {
  const Floats original = Original();
  const std::string base_bytes = FileOf({{"w", {kColumns, kRows}, original}});
  Diagnostics unused(1);
  const Model base(Parse(AsBytes(base_bytes), Limits(), &unused));
  const Origin origin(base);
  uint64_t found = 0;
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string blocks = Quantized(*type).Matrix();
    GgufBuilder b;
    b.Tensor("before", {32}, 0).Tensor("w", {kColumns, kRows}, type->id);
    b.data_bytes = 128;
    b.after_data = blocks;
    b.after_data.resize((blocks.size() + 31) / 32 * 32);
    const std::string whole = b.Build();
    const uint64_t data = whole.size() - b.after_data.size();
    // Judged together: 256 weights, or fewer if the type's blocks are small.
    const uint64_t most =
        std::max<uint64_t>(256, type->block_elements) / type->block_elements * type->block_bytes;
    const uint64_t size =
        std::max<uint64_t>(32, type->block_elements) / type->block_elements * type->block_bytes;
    const uint64_t count = blocks.size() / size;
    for (const uint64_t i : {uint64_t{0}, uint64_t{1}, count / 3, count - 2, count - 1}) {
      std::string damaged = whole;
      const uint64_t at = data + i * size;
      std::fill_n(&damaged[at], size, '\0');
      for (const Finding& finding : Check(damaged, origin).findings) {
        const Diagnostic& d = finding.diagnostic;
        if (d.rule->id != absl::string_view("compare-blocks-in-bound")) continue;
        SCOPED_TRACE(absl::StrCat(type->name, ", block ", i, " of ", count));
        ++found;
        EXPECT_LE(d.where.begin, at);
        EXPECT_GE(d.where.end, at + size);
        EXPECT_LE(d.where.size(), most);
        EXPECT_EQ((d.where.begin - data) % d.where.size(), 0u);
        EXPECT_LE(d.where.end, data + blocks.size());
      }
    }
  }
  EXPECT_GT(found, 4 * WrittenTypes().size());
}

// The last block of a tensor whose weights are not a multiple of those that are judged together.
TEST(CompareWeightChecksTest, TheRangeOfTheLastBlockEndsWithTheTensor) {
  for (const uint64_t weights : {1, 255, 256, 257, 511, 513}) {
    std::vector<NamedWeights> base = {Random("w", {weights})};
    // A few wrong weights among many are a wrong block.
    base.push_back(Random("v", {256, 64}));
    std::vector<NamedWeights> file = base;
    file[0].weights.back() += 0.01f;
    const std::string base_bytes = FileOf(base), bytes = FileOf(file);
    Diagnostics unused(1);
    const Model model(Parse(AsBytes(base_bytes), Limits(), &unused));
    const Model changed(Parse(AsBytes(bytes), Limits(), &unused));
    const uint64_t begin = changed.file.data_begin, end = begin + 4 * weights;
    const FileReport report = Check(bytes, Origin(model));
    ASSERT_EQ(FindingsOf(report).size(), 1u) << weights;
    for (const Finding& finding : report.findings) {
      const Diagnostic& d = finding.diagnostic;
      if (!absl::StartsWith(d.rule->id, "compare-")) continue;
      EXPECT_EQ(d.where.end, end) << weights;
      const bool is_block = d.rule->id == absl::string_view("compare-blocks-in-bound");
      EXPECT_EQ(d.where.begin, is_block ? begin + (weights - 1) / 256 * 1024 : begin) << weights;
    }
  }
}

}  // namespace
}  // namespace gguf
