// Tests the blocks that only legacy (pre-GGUF) files have; all are written by
// hand.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <functional>
#include <initializer_list>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/dequantize.h"
#include "kernels/weight_scan.h"

namespace gguf {
namespace {

using Block = std::vector<uint8_t>;

// Little-endian numbers that a float can hold exactly.
const Block kF32Half = {0x00, 0x00, 0x00, 0x3F};  // 0.5
const Block kF32Three = {0x00, 0x00, 0x40, 0x40};
const Block kF16Half = {0x00, 0x38};
const Block kF16Three = {0x00, 0x42};

Block Join(std::initializer_list<Block> parts) {
  Block all;
  for (const Block& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Bytes with 0, 1, 2, ... in the lower four bits and 15, 14, ... in the upper.
Block Nibbles(int n) {
  Block bytes;
  for (int i = 0; i < n; ++i) bytes.push_back(i | (15 - i) << 4);
  return bytes;
}

// Weight i is expected(quant).  As neighbours, even weights count up and odd
// weights down; as halves, the first half counts up and the second down.
std::vector<float> Neighbours(int n, const std::function<float(int)>& weight) {
  std::vector<float> weights;
  for (int i = 0; i < n / 2; ++i) {
    weights.push_back(weight(i));
    weights.push_back(weight(15 - i));
  }
  return weights;
}
std::vector<float> Halves(const std::function<float(int)>& weight) {
  std::vector<float> weights;
  for (int i = 0; i < 16; ++i) weights.push_back(weight(i));
  for (int i = 0; i < 16; ++i) weights.push_back(weight(15 - i));
  return weights;
}

std::vector<float> Weights(TensorType type, const Block& block) {
  std::vector<float> weights(GetTensorType(type).block_elements);
  EXPECT_EQ(Dequantize(type, block, absl::MakeSpan(weights), Endian::kLittle), std::nullopt);
  return weights;
}

TEST(OldQuantsTest, BlocksAreReadByTheirLayout) {
  const auto around_8 = [](int q) { return 0.5f * (q - 8); };
  const auto around_16 = [](int q) { return 0.5f * (q - 16); };
  const auto above_3 = [](int q) { return 0.5f * q + 3; };
  const Block no_high_bits = {0, 0, 0, 0};
  const struct {
    TensorType type;
    Block block;
    std::vector<float> weights;
  } kCases[] = {
      {TensorType::kQ4_0_QNT0, Join({kF32Half, Nibbles(16)}), Neighbours(32, around_8)},
      {TensorType::kQ4_1_QNT0, Join({kF32Half, kF32Three, Nibbles(16)}), Neighbours(32, above_3)},
      {TensorType::kQ4_2, Join({kF16Half, Nibbles(8)}), Neighbours(16, around_8)},
      {TensorType::kQ4_3, Join({kF16Half, kF16Three, Nibbles(8)}), Neighbours(16, above_3)},
      {TensorType::kQ5_0_QNT0, Join({kF16Half, no_high_bits, Nibbles(16)}),
       Neighbours(32, around_16)},
      {TensorType::kQ5_1_QNT0, Join({kF16Half, kF16Three, no_high_bits, Nibbles(16)}),
       Neighbours(32, above_3)},
      {TensorType::kQ4_0_QNT1, Join({kF32Half, Nibbles(16)}), Halves(around_8)},
      {TensorType::kQ4_1_QNT1, Join({kF32Half, kF32Three, Nibbles(16)}), Halves(above_3)},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Weights(c.type, c.block), c.weights) << GetTensorType(c.type).name;
  }
}

TEST(OldQuantsTest, HighBitsOfQ5BelongToTheWeightOfTheirNumber) {
  // Bits 0, 9 and 31 are set.
  const Block high = {0x01, 0x02, 0x00, 0x80};
  const Block zeros(16);
  const std::vector<float> q5_0 = Weights(TensorType::kQ5_0_QNT0, Join({kF16Half, high, zeros}));
  const std::vector<float> q5_1 =
      Weights(TensorType::kQ5_1_QNT0, Join({kF16Half, kF16Three, high, zeros}));
  for (int i = 0; i < 32; ++i) {
    const bool is_set = i == 0 || i == 9 || i == 31;
    EXPECT_EQ(q5_0[i], is_set ? 0.0f : -8.0f) << i;
    EXPECT_EQ(q5_1[i], is_set ? 11.0f : 3.0f) << i;
  }
}

TEST(OldQuantsTest, Q8HasSignedQuants) {
  Block qs(32);
  qs[0] = 0x80;
  qs[1] = 0x7F;
  qs[31] = 0xFF;
  const std::vector<float> weights = Weights(TensorType::kQ8_0_QNT0, Join({kF32Half, qs}));
  EXPECT_EQ(weights[0], -64.0f);
  EXPECT_EQ(weights[1], 63.5f);
  EXPECT_EQ(weights[2], 0.0f);
  EXPECT_EQ(weights[31], -0.5f);
}

TEST(OldQuantsTest, TheOutlierOfQ41OIsSeparate) {
  for (const int outlier : {0, 13, 31, 32, 0xFFFF}) {
    const Block index = {static_cast<uint8_t>(outlier), static_cast<uint8_t>(outlier >> 8)};
    const std::vector<float> weights =
        Weights(TensorType::kQ4_1_O, Join({kF16Half, kF16Half, index, kF16Three, Nibbles(16)}));
    std::vector<float> expected = Neighbours(32, [](int q) { return 0.5f * q + 0.5f; });
    if (outlier < 32) expected[outlier] = 3;
    EXPECT_EQ(weights, expected) << outlier;
  }
}

// The block's first four or two bytes are its scale.
TEST(OldQuantsTest, TheScanSeesScalesThatAreNotFinite) {
  for (const TensorTypeInfo& info : OldTensorTypes()) {
    const auto type = static_cast<TensorType>(info.id);
    const bool is_f32 = info.block_bytes == 36 || info.block_bytes == 20 ||
                        type == TensorType::kQ4_1_QNT0 || type == TensorType::kQ4_1_QNT1;
    Block blocks(3 * info.block_bytes);
    EXPECT_TRUE(ScanWeights(type, blocks, Endian::kLittle).none());
    uint8_t* const scale = &blocks[info.block_bytes];
    scale[is_f32 ? 3 : 1] = 0x7F;
    scale[is_f32 ? 2 : 0] = 0x80;
    const WeightFaults faults = ScanWeights(type, blocks, Endian::kLittle);
    EXPECT_EQ(faults.bad_scales, 1u) << info.name;
    EXPECT_EQ(faults.first_bad_scale, 1u) << info.name;
    const Range where = BadScale(type, scale, Endian::kLittle);
    EXPECT_EQ(where.begin, 0u) << info.name;
    EXPECT_EQ(where.end, is_f32 ? 4u : 2u) << info.name;
  }
}

TEST(OldQuantsTest, TheScanSeesFiniteScalesThatOverflow) {
  // 2^127, and a quant of -128.
  Block q8_0(36);
  q8_0[3] = 0x7F;
  q8_0[4 + 7] = 0x80;
  const WeightFaults faults = ScanWeights(TensorType::kQ8_0_QNT0, q8_0, Endian::kLittle);
  EXPECT_EQ(faults.bad_scales, 0u);
  EXPECT_EQ(faults.bad_weights, 1u);
  EXPECT_EQ(faults.first_bad_weight, 7u);

  Block outlier(24);
  outlier[4] = 30;
  outlier[7] = 0x7C;  // Infinite.
  EXPECT_EQ(ScanWeights(TensorType::kQ4_1_O, outlier, Endian::kLittle).first_bad_weight, 30u);
}

}  // namespace
}  // namespace gguf
