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
BlockDifference Plain(const float* origin, const float* file, size_t block, double* max_error) {
  double error = 0, of_origin = 0, of_file = 0, peaks = 0;
  for (size_t group = 0; group < block; group += kComparedGroup) {
    double peak = 0;
    for (size_t i = group; i < group + kComparedGroup; ++i) {
      const double b = origin[i], f = file[i];
      error += (b - f) * (b - f);
      of_origin += b * b;
      of_file += f * f;
      peak = std::max(peak, b * b);
      *max_error = std::max(*max_error, std::abs(b - f));
    }
    peaks += peak;
  }
  return {static_cast<float>(error), static_cast<float>(of_origin), static_cast<float>(of_file),
          static_cast<float>(peaks)};
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
  std::vector<float> origin(kBlocks * block);
  ASSERT_FALSE(Dequantize(type, stored, absl::MakeSpan(origin), kHostEndian));
  std::vector<float> file = origin;
  for (float& weight : file) weight += normal(random);
  BlockDifference blocks[kBlocks];
  const float most = CompareWeights(type, stored.data(), file.data(), block, kBlocks, blocks);
  double max_error = 0;
  for (size_t i = 0; i < kBlocks; ++i) {
    const BlockDifference wanted = Plain(&origin[i * block], &file[i * block], block, &max_error);
    EXPECT_NEAR(blocks[i].error / wanted.error, 1, 1e-5);
    EXPECT_NEAR(blocks[i].origin / wanted.origin, 1, 1e-5);
    EXPECT_NEAR(blocks[i].file / wanted.file, 1, 1e-5);
    EXPECT_NEAR(blocks[i].peaks / wanted.peaks, 1, 1e-5);
  }
  EXPECT_NEAR(most / max_error, 1, 1e-5);
}

TEST(WeightDifferenceTest, SumsAreThoseOfAPlainLoopOnEveryTarget) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    Dispatch(target);
    for (const TensorType type :
         {TensorType::kF32, TensorType::kF16, TensorType::kBF16, TensorType::kQ8_0}) {
      if (!IsComparedAsStored(type, kHostEndian)) continue;
      for (const size_t block : {32, 96, 512}) CheckSums(type, block);
    }
  }
  Dispatch(0);
}

TEST(WeightDifferenceTest, MagnitudesAreThoseOfAPlainLoopOnEveryTarget) {
  constexpr size_t kGroups = 3;
  const auto check = [](TensorType type) {
    std::mt19937 random(8);
    std::normal_distribution<float> normal;
    std::vector<float> origin(kGroups * kComparedGroup), file(origin.size());
    const std::vector<uint8_t> stored = RandomWeights(type, origin.size());
    ASSERT_FALSE(Dequantize(type, stored, absl::MakeSpan(origin), kHostEndian));
    for (float& weight : file) weight = normal(random);
    GroupMagnitudes groups[kGroups];
    SumMagnitudes(type, stored.data(), file.data(), kGroups, groups);
    for (size_t i = 0; i < kGroups; ++i) {
      double of_origin = 0, of_file = 0, products = 0, squares = 0;
      for (size_t k = i * kComparedGroup; k < (i + 1) * kComparedGroup; ++k) {
        const double b = std::abs(origin[k]), f = std::abs(file[k]);
        of_origin += b;
        of_file += f;
        products += b * f;
        squares += b * b;
      }
      EXPECT_NEAR(groups[i].origin / of_origin, 1, 1e-5);
      EXPECT_NEAR(groups[i].file / of_file, 1, 1e-5);
      EXPECT_NEAR(groups[i].products / products, 1, 1e-5);
      EXPECT_NEAR(groups[i].squares / squares, 1, 1e-5);
    }
  };
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    Dispatch(target);
    for (const TensorType type :
         {TensorType::kF32, TensorType::kF16, TensorType::kBF16, TensorType::kQ8_0}) {
      if (IsComparedAsStored(type, kHostEndian)) check(type);
    }
  }
  Dispatch(0);
}

TEST(WeightDifferenceTest, OnlyNumbersOfThisMachineAreComparedAsStored) {
  const Endian other = kHostEndian == Endian::kLittle ? Endian::kBig : Endian::kLittle;
  EXPECT_TRUE(IsComparedAsStored(TensorType::kF32, kHostEndian));
  for (const TensorType type : {TensorType::kF16, TensorType::kBF16, TensorType::kQ8_0}) {
    EXPECT_EQ(IsComparedAsStored(type, kHostEndian), kHostEndian == Endian::kLittle);
    EXPECT_FALSE(IsComparedAsStored(type, other));
  }
  EXPECT_FALSE(IsComparedAsStored(TensorType::kF32, other));
  EXPECT_FALSE(IsComparedAsStored(TensorType::kQ4_0, kHostEndian));
}

TEST(WeightDifferenceTest, WeightsThatAreNotFiniteShow) {
  constexpr size_t kBlock = 96;
  const std::vector<float> origin(kBlock, 1);
  std::vector<float> file = origin;
  const std::vector<uint8_t> stored = BytesOf(origin);
  for (const float weight :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    file[77] = weight;
    BlockDifference block;
    CompareWeights(TensorType::kF32, stored.data(), file.data(), kBlock, 1, &block);
    EXPECT_FALSE(std::isfinite(block.error));
  }
}

}  // namespace
}  // namespace gguf
