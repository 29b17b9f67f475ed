// Sums of known weights, against a plain loop.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace gguf {
namespace {

constexpr size_t kBlock = 352;  // Eleven groups.

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
      worst = std::max(worst, (b - f) * (b - f));
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

TEST(WeightDifferenceTest, SumsAreThoseOfAPlainLoopOnEveryTarget) {
  constexpr size_t kBlocks = 3;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.02f);
  std::vector<float> base(kBlocks * kBlock), file(base.size());
  for (float& weight : base) weight = normal(random);
  for (size_t i = 0; i < file.size(); ++i) {
    file[i] = base[i] + 0.1f * normal(random);
  }
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    Dispatch(target);
    BlockDifference blocks[kBlocks];
    const float found =
        CompareWeights(base.data(), file.data(), kBlock, kBlocks, blocks);
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
  Dispatch(0);
}

TEST(WeightDifferenceTest, WeightsThatAreNotFiniteShow) {
  std::vector<float> base(kBlock, 1), file = base;
  for (const float weight : {std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
    file[77] = weight;
    BlockDifference block;
    CompareWeights(base.data(), file.data(), kBlock, 1, &block);
    EXPECT_FALSE(std::isfinite(block.error));
  }
}

}  // namespace
}  // namespace gguf
