// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_scan.h"

#include <cmath>
#include <random>
#include <vector>

#include "conformance/base/bytes.h"
#include "gtest/gtest.h"
#include "kernels/dequantize.h"

namespace gguf {
namespace {

std::vector<uint8_t> RandomBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = random();
  return bytes;
}

bool HasNonfiniteWeight(const TensorTypeInfo& info, Bytes block) {
  std::vector<float> weights(info.block_elements);
  EXPECT_FALSE(Dequantize(static_cast<TensorType>(info.id), block, absl::MakeSpan(weights),
                          Endian::kLittle));
  for (const float w : weights) {
    if (!std::isfinite(w)) return true;
  }
  return false;
}

bool IsInteger(const TensorTypeInfo& info) { return info.name[0] == 'I' && info.name[1] != 'Q'; }

// Random blocks of every type: a block has a fault exactly if one of its
// weights is not finite.  NVFP4's NaN scales, which ggml reads as numbers, and
// Q8_1's sum, which does not affect weights, are additional faults.
TEST(WeightScanTest, FaultsAreThoseThatTheWeightsShow) {
  constexpr int kBlocks = 20000;
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (info.removed != nullptr || IsInteger(info)) continue;
    const auto type = static_cast<TensorType>(info.id);
    const auto bytes = RandomBytes(kBlocks * info.block_bytes, info.id);
    int faults = 0;
    for (int i = 0; i < kBlocks; ++i) {
      const Bytes block(bytes.data() + i * info.block_bytes, info.block_bytes);
      const bool bad = !ScanWeights(type, block, Endian::kLittle).none();
      faults += bad;
      if (HasNonfiniteWeight(info, block)) {
        EXPECT_TRUE(bad) << info.name;
      } else if (type != TensorType::kNVFP4 && type != TensorType::kQ8_1) {
        EXPECT_FALSE(bad) << info.name << " block " << i;
      }
    }
    EXPECT_GT(faults, 0) << info.name;
    const WeightFaults all = ScanWeights(type, bytes, Endian::kLittle);
    EXPECT_GE(all.bad_scales + all.bad_weights, faults) << info.name;
  }
}

TEST(WeightScanTest, BigEndianBlocksHaveTheSameFaults) {
  constexpr size_t kBlocks = 3000;
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (info.removed != nullptr) continue;
    const auto type = static_cast<TensorType>(info.id);
    const auto little = RandomBytes(kBlocks * info.block_bytes, info.id);
    std::vector<uint8_t> big(little.size());
    SwapBlocks(type, little.data(), kBlocks, big.data());
    const WeightFaults a = ScanWeights(type, little, Endian::kLittle);
    const WeightFaults b = ScanWeights(type, big, Endian::kBig);
    EXPECT_EQ(a.bad_scales, b.bad_scales) << info.name;
    EXPECT_EQ(a.first_bad_scale, b.first_bad_scale) << info.name;
    EXPECT_EQ(a.bad_weights, b.bad_weights) << info.name;
    EXPECT_EQ(a.first_bad_weight, b.first_bad_weight) << info.name;
  }
}

TEST(WeightScanTest, TheFirstFaultIsFoundWhereverItIs) {
  // Zero blocks of Q4_K, one with an infinite dmin.
  constexpr uint32_t kBytes = 144;
  for (const size_t bad : {size_t{0}, size_t{1023}, size_t{1024}, size_t{4999}}) {
    std::vector<uint8_t> bytes(5000 * kBytes);
    bytes[bad * kBytes + 3] = 0x7C;
    const WeightFaults faults = ScanWeights(TensorType::kQ4_K, bytes, Endian::kLittle);
    EXPECT_EQ(faults.bad_scales, 1u);
    EXPECT_EQ(faults.first_bad_scale, bad);
    EXPECT_EQ(faults.bad_weights, 0u);
    const Range where = BadScale(TensorType::kQ4_K, &bytes[bad * kBytes], Endian::kLittle);
    EXPECT_EQ(where.begin, 2u);
    EXPECT_EQ(where.end, 4u);
  }
}

TEST(WeightScanTest, F64IsJudgedAsAnF32) {
  // The first two are the largest f64 that is finite as an f32, and the next.
  const double values[] = {0x1.fffffefffffffp127, 0x1.ffffffp127, 0, -1e300};
  const Bytes bytes(reinterpret_cast<const uint8_t*>(values), sizeof values);
  const WeightFaults faults = ScanWeights(TensorType::kF64, bytes, kHostEndian);
  EXPECT_EQ(faults.bad_weights, 2u);
  EXPECT_EQ(faults.first_bad_weight, 1u);
}

TEST(WeightScanTest, Mxfp4OverflowsByItsWeights) {
  std::vector<uint8_t> block(17);
  const auto scan = [&](uint8_t exponent, uint8_t nibbles) {
    block[0] = exponent;
    block[5] = nibbles;
    return ScanWeights(TensorType::kMXFP4, block, Endian::kLittle);
  };
  EXPECT_TRUE(scan(0xFC, 0x77).none());
  EXPECT_TRUE(scan(0xFD, 0x11).none());         // Small weights.
  EXPECT_EQ(scan(0xFD, 0x77).bad_weights, 2u);  // The largest.
  EXPECT_EQ(scan(0xFD, 0x77).first_bad_weight, 4u);
  EXPECT_EQ(scan(0xFD, 0x77).bad_scales, 0u);
  EXPECT_EQ(scan(0xFF, 0x00).bad_scales, 1u);
}

TEST(WeightScanTest, Nvfp4NanScalesAreFaults) {
  std::vector<uint8_t> block(36);
  for (int s = 0; s < 4; ++s) {
    for (int scale = 0; scale < 256; ++scale) {
      block[s] = scale;
      const WeightFaults faults = ScanWeights(TensorType::kNVFP4, block, Endian::kLittle);
      EXPECT_EQ(faults.bad_scales, (scale & 0x7F) == 0x7F) << scale;
    }
    block[s] = 0;
  }
}

TEST(WeightScanTest, FaultsAddUpInAnyOrder) {
  WeightFaults a, b, sum;
  a.bad_scales = 1;
  a.first_bad_scale = 5;
  b.bad_weights = 2;
  b.first_bad_weight = 7;
  sum.Add(a, 100, 32);
  sum.Add(a, 10, 32);
  sum.Add(b, 10, 32);
  EXPECT_EQ(sum.bad_scales, 2u);
  EXPECT_EQ(sum.first_bad_scale, 15u);
  EXPECT_EQ(sum.first_bad_weight, 327u);
}

}  // namespace
}  // namespace gguf
