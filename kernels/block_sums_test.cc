// Sums of known blocks, against a plain loop.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/block_sums.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace gguf {
namespace {

constexpr BlockLimits kLimits = {0.9f, 0.01f, 0.1f};

// Calls test() with the code of every target.
template <class F>
void OnEveryTarget(const F& test) {
  const auto dispatch = [](int64_t target) {  // Zero means the best.
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    dispatch(target);
    test();
  }
  dispatch(0);
}

// Small blocks: some by their base, some by their peaks.
std::vector<BlockDifference> SmallBlocks(size_t n) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(1, 2);
  std::vector<BlockDifference> blocks(n);
  for (BlockDifference& block : blocks) {
    block.base = uniform(random);
    block.file = uniform(random);
    block.peaks = random() % 2 ? uniform(random) : 0.01f;
    block.error = 0.99f * std::max(kLimits.of_base * block.base,
                                   kLimits.of_peaks * block.peaks);
  }
  return blocks;
}

bool AreSmall(const std::vector<BlockDifference>& blocks) {
  BlockSums unused;
  return AddBlocks(blocks.data(), blocks.size(), kLimits, &unused);
}

TEST(BlockSumsTest, SumsAreThoseOfAPlainLoop) {
  for (const size_t n : {0, 1, 7, 16, 43}) {
    const std::vector<BlockDifference> blocks = SmallBlocks(n);
    BlockSums wanted = {1, 2, 3, 4, 5};
    for (const BlockDifference& block : blocks) {
      const double base = block.base;
      wanted.error += block.error;
      wanted.base += base;
      wanted.file += block.file;
      wanted.peaks += block.peaks;
      wanted.base_squares += base * base;
    }
    OnEveryTarget([&] {
      BlockSums sums = {1, 2, 3, 4, 5};
      EXPECT_TRUE(AddBlocks(blocks.data(), n, kLimits, &sums));
      EXPECT_NEAR(sums.error, wanted.error, 1e-12);
      EXPECT_NEAR(sums.base, wanted.base, 1e-12);
      EXPECT_NEAR(sums.file, wanted.file, 1e-12);
      EXPECT_NEAR(sums.peaks, wanted.peaks, 1e-12);
      EXPECT_NEAR(sums.base_squares, wanted.base_squares, 1e-12);
    });
  }
}

TEST(BlockSumsTest, EachLargeErrorShows) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr BlockDifference kLarge[] = {
      {0.011f, 1, 1, 0.01f},  // Of the base.
      {0.11f, 1, 1, 1},       // Of the peaks.
      {0.91f, 1, 1, 20},      // Of most of the base.
      {kNan, 1, 1, 1},
      {0.001f, kNan, 1, kNan},
  };
  OnEveryTarget([&] {
    for (const BlockDifference& large : kLarge) {
      for (const size_t at : {0, 9, 33}) {
        std::vector<BlockDifference> blocks = SmallBlocks(34);
        EXPECT_TRUE(AreSmall(blocks));
        blocks[at] = large;
        EXPECT_FALSE(AreSmall(blocks)) << at << " " << large.error;
      }
    }
  });
}

}  // namespace
}  // namespace gguf
