// Slopes of known weights.
//
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "conformance/compare/tensor_judge.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using Floats = std::vector<float>;

constexpr size_t kBlocks = 16;

Floats Normal() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 0.02f);
  Floats weights(kBlocks * MagnitudeSlope::kBlock);
  for (float& weight : weights) weight = normal(random);
  return weights;
}

// Returns the slope of f(w) on w.
std::optional<double> SlopeOf(const Floats& origin, const std::function<float(float)>& f,
                              size_t blocks = kBlocks) {
  MagnitudeSlope sum;
  for (size_t i = 0; i < blocks; ++i) {
    Floats file;
    const float* const begin = &origin[i * MagnitudeSlope::kBlock];
    for (size_t k = 0; k < MagnitudeSlope::kBlock; ++k) {
      file.push_back(f(begin[k]));
    }
    MagnitudeSlope one;
    one.AddBlock(TensorType::kF32, reinterpret_cast<const uint8_t*>(begin), file.data());
    sum.Add(one);
  }
  return sum.Slope();
}

TEST(MagnitudeSlopeTest, IsTheFactorOfTheMagnitudes) {
  EXPECT_NEAR(*SlopeOf(Normal(), [](float w) { return w; }), 1, 1e-6);
  EXPECT_NEAR(*SlopeOf(Normal(), [](float w) { return -w / 2; }), 0.5, 1e-6);
}

TEST(MagnitudeSlopeTest, IsZeroForASingleMagnitude) {
  EXPECT_NEAR(*SlopeOf(Normal(), [](float w) { return w < 0 ? -0.01f : 0.01f; }), 0, 1e-6);
}

TEST(MagnitudeSlopeTest, NeedsSixtyFourGroups) {
  const auto same = [](float w) { return w; };
  EXPECT_FALSE(SlopeOf(Normal(), same, 7));
  EXPECT_TRUE(SlopeOf(Normal(), same, 8));
}

TEST(MagnitudeSlopeTest, IgnoresGroupsThatShowNothing) {
  const auto same = [](float w) { return w; };
  Floats even = Normal();
  for (float& weight : even) weight = weight < 0 ? -0.01f : 0.01f;
  EXPECT_FALSE(SlopeOf(even, same));
  for (size_t i = 0; i < even.size(); i += 3) even[i] *= 1.2f;
  EXPECT_FALSE(SlopeOf(even, same));
  EXPECT_FALSE(SlopeOf(Floats(even.size()), same));
  EXPECT_FALSE(SlopeOf(Normal(), [](float) { return 0.0f; }));
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(SlopeOf(Normal(), [&](float) { return infinite; }));
  EXPECT_FALSE(SlopeOf(Floats(even.size(), infinite), same));
}

}  // namespace
}  // namespace gguf
