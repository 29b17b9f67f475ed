// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace gguf {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

TEST(FloatFormatsTest, F16AtItsBoundaries) {
  EXPECT_EQ(BitsOf(F16ToFloat(0x0000)), 0u);
  EXPECT_EQ(BitsOf(F16ToFloat(0x8000)), 0x80000000u);
  EXPECT_EQ(F16ToFloat(0x0001), 0x1p-24f);          // Smallest subnormal.
  EXPECT_EQ(F16ToFloat(0x83FF), -1023 * 0x1p-24f);  // Largest, negative.
  EXPECT_EQ(F16ToFloat(0x0400), 0x1p-14f);          // Smallest normal.
  EXPECT_EQ(F16ToFloat(0x3C00), 1.0f);
  EXPECT_EQ(F16ToFloat(0x7BFF), 65504.0f);
  EXPECT_EQ(F16ToFloat(0x7C00), kInfinity);
  EXPECT_EQ(F16ToFloat(0xFC00), -kInfinity);
  EXPECT_EQ(BitsOf(F16ToFloat(0xFE01)), 0xFFC02000u);  // NaN, with payload.
}

TEST(FloatFormatsTest, E4m3HasNoInfinities) {
  EXPECT_EQ(E4m3ToFloat(0x38), 1.0f);
  EXPECT_EQ(E4m3ToFloat(0xB9), -1.125f);
  EXPECT_EQ(E4m3ToFloat(0x01), 0x1p-9f);
  EXPECT_EQ(E4m3ToFloat(0x87), -7 * 0x1p-9f);
  EXPECT_EQ(E4m3ToFloat(0x08), 0x1p-6f);
  EXPECT_EQ(E4m3ToFloat(0x7E), 448.0f);
  EXPECT_TRUE(std::signbit(E4m3ToFloat(0x80)));
  EXPECT_EQ(E4m3ToFloat(0x80), 0.0f);
  EXPECT_TRUE(std::isnan(E4m3ToFloat(0x7F)));
  EXPECT_TRUE(std::isnan(E4m3ToFloat(0xFF)));
}

TEST(FloatFormatsTest, Bf16IsTheUpperHalf) {
  EXPECT_EQ(Bf16ToFloat(0xBF80), -1.0f);
  EXPECT_EQ(Bf16ToFloat(0x0001), 0x1p-133f);
  EXPECT_EQ(Bf16ToFloat(0xFF80), -kInfinity);
  EXPECT_TRUE(std::isnan(Bf16ToFloat(0x7F81)));
}

TEST(FloatFormatsTest, E8M0IsAPowerOfTwoWithoutNaN) {
  for (int exponent = 0; exponent < 256; ++exponent) {
    EXPECT_EQ(E8M0HalfToFloat(static_cast<uint8_t>(exponent)), std::ldexp(1.0f, exponent - 128));
  }
}

TEST(FloatFormatsTest, Ue4m3HasNoSignAndOneHole) {
  EXPECT_EQ(Ue4m3HalfToFloat(0x00), 0.0f);
  EXPECT_EQ(Ue4m3HalfToFloat(0x01), 0.5f * 0x1p-9f);
  EXPECT_EQ(Ue4m3HalfToFloat(0x07), 0.5f * 7 * 0x1p-9f);
  EXPECT_EQ(Ue4m3HalfToFloat(0x08), 0.5f * 0x1p-6f);
  EXPECT_EQ(Ue4m3HalfToFloat(0x38), 0.5f);
  EXPECT_EQ(Ue4m3HalfToFloat(0x7E), 0.5f * 448);
  EXPECT_EQ(Ue4m3HalfToFloat(0x7F), 0.0f);
  EXPECT_EQ(Ue4m3HalfToFloat(0xFF), 0.5f * 480);
  for (int scale = 0x80; scale < 0xFF; ++scale) {
    EXPECT_EQ(Ue4m3HalfToFloat(static_cast<uint8_t>(scale)),
              Ue4m3HalfToFloat(static_cast<uint8_t>(scale - 0x80)));
  }
}

}  // namespace
}  // namespace gguf
