// Sums of known weights, against a plain loop.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "kernels/dequantize.h"

namespace gguf {
namespace {

// The same, one weight at a time.
ExaminedBlock Plain(const float* base, const float* file, size_t block) {
  double error = 0, of_base = 0, of_file = 0, peaks = 0, worst = 0;
  for (size_t group = 0; group < block; group += kComparedGroup) {
    double peak = 0;
    for (size_t i = group; i < group + kComparedGroup; ++i) {
      const double b = base[i], f = file[i];
      error += (b - f) * (b - f);
      of_base += b * b;
      of_file += f * f;
      peak = std::max(peak, b * b);
      worst = std::max(worst, std::abs(b - f));
    }
    peaks += peak;
  }
  return {{static_cast<float>(error), static_cast<float>(of_base)},
          static_cast<float>(of_file),
          static_cast<float>(peaks),
          static_cast<float>(worst)};
}

// Zero means the best target.
void Dispatch(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

template <class T>
void Append(T number, std::vector<uint8_t>* bytes) {
  uint8_t stored[sizeof number];
  std::memcpy(stored, &number, sizeof number);
  bytes->insert(bytes->end(), stored, stored + sizeof stored);
}

std::vector<uint8_t> BytesOf(const std::vector<float>& weights) {
  std::vector<uint8_t> bytes;
  for (const float weight : weights) Append(weight, &bytes);
  return bytes;
}

// Returns `n` random weights, about 2^-8, of a type that IsComparedAsStored().
std::vector<uint8_t> RandomWeights(TensorType type, size_t n) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.004f);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<uint16_t>(random());
    switch (type) {
      case TensorType::kF16:
        Append<uint16_t>((bits & 0x83FF) | 0x1C00, &bytes);
        break;
      case TensorType::kBF16:
        Append<uint16_t>((bits & 0x807F) | 0x3B80, &bytes);
        break;
      case TensorType::kQ8_0:
        if (i % 32 == 0) Append<uint16_t>((bits & 0x03FF) | 0x0400, &bytes);
        Append(static_cast<uint8_t>(bits), &bytes);
        break;
      default:
        Append(normal(random), &bytes);
    }
  }
  return bytes;
}

// Compares blocks with the same weights and some noise.
void CheckSums(TensorType type, size_t block) {
  constexpr size_t kBlocks = 3;
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0, 0.0004f);
  const std::vector<uint8_t> stored = RandomWeights(type, kBlocks * block);
  std::vector<float> base(kBlocks * block);
  ASSERT_FALSE(Dequantize(type, stored, absl::MakeSpan(base), kHostEndian));
  std::vector<float> file = base;
  for (float& weight : file) weight += normal(random);
  BlockDifference blocks[kBlocks];
  CompareWeights(type, stored.data(), file.data(), block, kBlocks, blocks);
  for (size_t i = 0; i < kBlocks; ++i) {
    const float* const b = &base[i * block];
    const float* const f = &file[i * block];
    const ExaminedBlock wanted = Plain(b, f, block);
    const ExaminedBlock examined = ExamineBlock(b, f, block);
    for (const BlockDifference& sums : {blocks[i], BlockDifference(examined)}) {
      EXPECT_NEAR(sums.error / wanted.error, 1, 1e-5);
      EXPECT_NEAR(sums.base / wanted.base, 1, 1e-5);
    }
    EXPECT_NEAR(examined.file / wanted.file, 1, 1e-5);
    EXPECT_NEAR(examined.peaks / wanted.peaks, 1, 1e-5);
    EXPECT_NEAR(examined.max_error / wanted.max_error, 1, 1e-5);
  }
}

TEST(WeightDifferenceTest, SumsAreThoseOfAPlainLoopOnEveryTarget) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    Dispatch(target);
    for (const TensorType type : {TensorType::kF32, TensorType::kF16,
                                  TensorType::kBF16, TensorType::kQ8_0}) {
      if (!IsComparedAsStored(type, kHostEndian)) continue;
      // Blocks that are compared in pairs, and one by one.
      for (const size_t block : {96, 512}) CheckSums(type, block);
    }
  }
  Dispatch(0);
}

TEST(WeightDifferenceTest, BlocksAreAddedUpOnEveryTarget) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  // Exact in floats.
  const std::vector<BlockDifference> blocks = {
      {1, 16}, {3, 32}, {0.5, 4}, {2.5, 64}, {0.25, 128}};
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    Dispatch(target);
    for (size_t n = 0; n <= blocks.size(); ++n) {
      BlockTotals wanted;
      for (size_t i = 0; i < n; ++i) {
        const auto [error, base] = blocks[i];
        wanted.error += error;
        wanted.base += base;
        wanted.base_squares += base * base;
        wanted.largest = std::max(wanted.largest, error);
      }
      const BlockTotals totals = AddUp(blocks.data(), n, 0.125f);
      EXPECT_EQ(totals.error, wanted.error);
      EXPECT_EQ(totals.base, wanted.base);
      EXPECT_EQ(totals.base_squares, wanted.base_squares);
      EXPECT_EQ(totals.largest, wanted.largest);
      EXPECT_TRUE(totals.are_usual);
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (const float error : {blocks[i].base * 0.1251f, kNaN}) {
        std::vector<BlockDifference> one_is_unusual = blocks;
        one_is_unusual[i].error = error;
        EXPECT_FALSE(AddUp(one_is_unusual.data(), 5, 0.125f).are_usual);
        EXPECT_FALSE(IsUsual(one_is_unusual[i], 0.125f));
      }
    }
  }
  Dispatch(0);
}

TEST(WeightDifferenceTest, OnlyNumbersOfThisMachineAreComparedAsStored) {
  const Endian other =
      kHostEndian == Endian::kLittle ? Endian::kBig : Endian::kLittle;
  EXPECT_TRUE(IsComparedAsStored(TensorType::kF32, kHostEndian));
  for (const TensorType type :
       {TensorType::kF16, TensorType::kBF16, TensorType::kQ8_0}) {
    EXPECT_EQ(IsComparedAsStored(type, kHostEndian),
              kHostEndian == Endian::kLittle);
    EXPECT_FALSE(IsComparedAsStored(type, other));
  }
  EXPECT_FALSE(IsComparedAsStored(TensorType::kF32, other));
  EXPECT_FALSE(IsComparedAsStored(TensorType::kQ4_0, kHostEndian));
}

TEST(WeightDifferenceTest, WeightsThatAreNotFiniteShow) {
  constexpr size_t kBlock = 96;
  const std::vector<float> base(kBlock, 1);
  std::vector<float> file = base;
  const std::vector<uint8_t> stored = BytesOf(base);
  for (const float weight : {std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
    file[77] = weight;
    BlockDifference block;
    CompareWeights(TensorType::kF32, stored.data(), file.data(), kBlock, 1,
                   &block);
    EXPECT_FALSE(std::isfinite(block.error));
    EXPECT_FALSE(
        std::isfinite(ExamineBlock(base.data(), file.data(), kBlock).error));
  }
}

}  // namespace
}  // namespace gguf
