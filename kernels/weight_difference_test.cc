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

#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace gguf {
namespace {

constexpr size_t kBlock = 480;  // Fifteen groups: eight, four, two and one.

struct PlainDifference {
  BlockDifference sums;
  float worst;
};

// The same, one weight at a time.
PlainDifference Plain(const float* base, const float* file) {
  double error = 0, of_base = 0, of_file = 0, peaks = 0, worst = 0;
  for (size_t group = 0; group < kBlock; group += kComparedGroup) {
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
  return {{static_cast<float>(error), static_cast<float>(of_base),
           static_cast<float>(of_file), static_cast<float>(peaks)},
          static_cast<float>(worst)};
}

// Zero means the best target.
void Dispatch(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Returns the bytes of numbers of a type whose values they have.
std::vector<uint8_t> StoredAs(TensorType type,
                              const std::vector<float>& weights) {
  std::vector<uint8_t> bytes;
  for (const float weight : weights) {
    uint8_t stored[sizeof weight];
    std::memcpy(stored, &weight, sizeof weight);
    uint32_t bits;
    std::memcpy(&bits, &weight, sizeof bits);
    if (type == TensorType::kF32) {
      bytes.insert(bytes.end(), stored, stored + sizeof stored);
      continue;
    }
    uint32_t half = bits >> 16;
    if (type == TensorType::kF16) {
      const uint32_t sign = half & 0x8000, magnitude = bits & 0x7FFFFFFF;
      half = sign | (magnitude == 0 ? 0 : (magnitude - (112u << 23)) >> 13);
    }
    bytes.push_back(static_cast<uint8_t>(half));
    bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return bytes;
}

// A normal number that F16 and BF16 represent.
float Rounded(float weight) {
  return std::abs(weight) < 0x1p-14f
             ? 0
             : std::ldexp(std::round(std::ldexp(weight, 13)), -13);
}

TEST(WeightDifferenceTest, SumsAreThoseOfAPlainLoopOnEveryTarget) {
  constexpr size_t kBlocks = 3;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.004f);
  std::vector<float> base(kBlocks * kBlock), file(base.size());
  for (float& weight : base) weight = Rounded(normal(random));
  for (size_t i = 0; i < file.size(); ++i) {
    file[i] = base[i] + 0.1f * normal(random);
  }
  for (const TensorType type :
       {TensorType::kF32, TensorType::kF16, TensorType::kBF16}) {
    if (!IsComparedAsStored(type, kHostEndian)) continue;
    const std::vector<uint8_t> stored = StoredAs(type, base);
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      Dispatch(target);
      BlockDifference blocks[kBlocks];
      const float found = CompareWeights(type, stored.data(), file.data(),
                                         kBlock, kBlocks, blocks);
      float worst = 0;
      for (size_t i = 0; i < kBlocks; ++i) {
        const PlainDifference wanted =
            Plain(&base[i * kBlock], &file[i * kBlock]);
        EXPECT_NEAR(blocks[i].error / wanted.sums.error, 1, 1e-5);
        EXPECT_NEAR(blocks[i].base / wanted.sums.base, 1, 1e-5);
        EXPECT_NEAR(blocks[i].file / wanted.sums.file, 1, 1e-5);
        EXPECT_NEAR(blocks[i].peaks / wanted.sums.peaks, 1, 1e-5);
        worst = std::max(worst, wanted.worst);
      }
      EXPECT_NEAR(found / worst, 1, 1e-5);
    }
  }
  Dispatch(0);
}

TEST(WeightDifferenceTest, OnlyNumbersOfThisMachineAreComparedAsStored) {
  const Endian other =
      kHostEndian == Endian::kLittle ? Endian::kBig : Endian::kLittle;
  EXPECT_TRUE(IsComparedAsStored(TensorType::kF32, kHostEndian));
  EXPECT_EQ(IsComparedAsStored(TensorType::kF16, kHostEndian),
            kHostEndian == Endian::kLittle);
  EXPECT_EQ(IsComparedAsStored(TensorType::kBF16, kHostEndian),
            kHostEndian == Endian::kLittle);
  for (const TensorType type :
       {TensorType::kF32, TensorType::kF16, TensorType::kBF16}) {
    EXPECT_FALSE(IsComparedAsStored(type, other));
  }
  EXPECT_FALSE(IsComparedAsStored(TensorType::kQ8_0, kHostEndian));
}

TEST(WeightDifferenceTest, WeightsThatAreNotFiniteShow) {
  const std::vector<float> base(kBlock, 1);
  std::vector<float> file = base;
  const std::vector<uint8_t> stored = StoredAs(TensorType::kF32, base);
  for (const float weight : {std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
    file[77] = weight;
    BlockDifference block;
    CompareWeights(TensorType::kF32, stored.data(), file.data(), kBlock, 1,
                   &block);
    EXPECT_FALSE(std::isfinite(block.error));
  }
}

}  // namespace
}  // namespace gguf
