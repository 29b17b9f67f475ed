// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_stats.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(WeightStatsTest, EveryKindOfWeightIsCounted) {
  WeightStats stats;
  stats.Add(std::vector<float>{1, -3, 0, -0.0f, 1e-40f, NAN, INFINITY});
  EXPECT_EQ(stats.count, 5u);
  EXPECT_EQ(stats.nan, 1u);
  EXPECT_EQ(stats.infinite, 1u);
  EXPECT_EQ(stats.zeros, 2u);
  EXPECT_EQ(stats.subnormals, 1u);
  EXPECT_EQ(stats.min, -3);
  EXPECT_EQ(stats.max, 1);
  EXPECT_NEAR(stats.mean, -0.4, 1e-12);
}

TEST(WeightStatsTest, PartsAddUpToTheWhole) {
  std::vector<float> weights;
  for (int i = 0; i < 1000; ++i) weights.push_back(std::sin(i) + i * 0.01f);
  WeightStats whole, parts;
  whole.Add(weights);
  parts.Add(absl::MakeSpan(weights).subspan(700));
  parts.Add(absl::MakeSpan(weights).subspan(0, 700));
  EXPECT_EQ(parts.count, whole.count);
  EXPECT_NEAR(parts.mean, whole.mean, 1e-9);
  EXPECT_NEAR(parts.StandardDeviation(), whole.StandardDeviation(), 1e-9);
  EXPECT_EQ(WeightStats().StandardDeviation(), 0);
}

TEST(WeightStatsTest, HistogramsIgnoreValuesOutside) {
  Histogram histogram;
  histogram.min = 0;
  histogram.max = 16;
  histogram.Add(std::vector<float>{0, 0.5f, 15.9f, 16, -1, 17, NAN});
  EXPECT_EQ(histogram.bins[0], 2u);
  EXPECT_EQ(histogram.bins[15], 2u);
}

}  // namespace
}  // namespace gguf
