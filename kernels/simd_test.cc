// Compares fast kernels with references, for every target that this processor
// supports.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "conformance/base/bytes.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"
#include "kernels/dispatch_target.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

bool SameWeight(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

std::vector<float> Weights(const Kernel& kernel, const std::vector<uint8_t>& blocks, size_t n) {
  std::vector<float> weights(n * GetTensorType(kernel.type).block_elements);
  kernel.dequantize(blocks.data(), n, weights.data());
  return weights;
}

// The bytes are in a vector of exactly their size, so that ASan detects a read
// past the last block.
void CompareWithReference(const Kernel& kernel, const std::vector<uint8_t>& blocks, size_t n) {
  const Kernel* const reference = FindKernel(kernel.type, "reference");
  ASSERT_NE(reference, nullptr);
  const std::vector<float> expected = Weights(*reference, blocks, n);
  const std::vector<float> actual = Weights(kernel, blocks, n);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(SameWeight(actual[i], expected[i]))
        << GetTensorType(kernel.type).name << " " << DispatchTargetName() << " weight " << i
        << " of " << n << " blocks: " << actual[i] << ", not " << expected[i];
  }
}

std::vector<Kernel> FastKernels() {
  std::vector<Kernel> fast;
  for (const Kernel& kernel : AllKernels()) {
    if (std::string(kernel.variant) != "reference") fast.push_back(kernel);
  }
  return fast;
}

// Runs each test once for each target.
class SimdTest : public testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { Dispatch(GetParam()); }
  void TearDown() override { Dispatch(0); }

 private:
  // Zero means the best target.
  static void Dispatch(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST_P(SimdTest, DispatchesToTheTarget) {
  EXPECT_STREQ(DispatchTargetName(), hwy::TargetName(GetParam()));
}

TEST_P(SimdTest, RandomBlocksGiveTheReferencesWeights) {
  std::mt19937_64 random(1);
  for (const Kernel& kernel : FastKernels()) {
    for (const size_t n : {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 500}) {
      std::vector<uint8_t> blocks(n * GetTensorType(kernel.type).block_bytes);
      for (uint8_t& byte : blocks) byte = random();
      CompareWithReference(kernel, blocks, n);
    }
  }
}

// All bytes equal: scales are NaN, minus zero, subnormal and huge.
TEST_P(SimdTest, ExtremeBlocksGiveTheReferencesWeights) {
  for (const Kernel& kernel : FastKernels()) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::vector<uint8_t> blocks(GetTensorType(kernel.type).block_bytes * 17, byte);
      CompareWithReference(kernel, blocks, 17);
    }
  }
}

TEST_P(SimdTest, EveryHalfGivesTheReferencesWeight) {
  constexpr size_t kCodes = 65536;
  std::vector<uint8_t> halves(2 * kCodes);
  for (size_t i = 0; i < kCodes; ++i) {
    halves[2 * i] = i & 255;
    halves[2 * i + 1] = i >> 8;
  }
  for (const Kernel& kernel : FastKernels()) {
    if (GetTensorType(kernel.type).block_bytes != 2) continue;
    CompareWithReference(kernel, halves, kCodes);
  }
}

// Infinite, negative and zero scales with every kind of quant.
TEST_P(SimdTest, SpecialScalesGiveTheReferencesWeights) {
  std::mt19937_64 random(2);
  constexpr uint16_t kHalves[] = {0x0000, 0x8000, 0x0001, 0x83FF, 0x0400,
                                  0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0xBC00};
  for (const Kernel& kernel : FastKernels()) {
    const size_t size = GetTensorType(kernel.type).block_bytes;
    for (const uint16_t half : kHalves) {
      // Scales are at the ends of a block in every type.
      for (const size_t place : {size_t{0}, size_t{2}, size - 4, size - 2}) {
        if (size < 4) continue;
        std::vector<uint8_t> blocks(size);
        for (uint8_t& byte : blocks) byte = random();
        std::memcpy(&blocks[place], &half, sizeof half);
        CompareWithReference(kernel, blocks, 1);
      }
    }
  }
}

TEST(FastKernelsTest, EveryQuantizedTypeHasOne) {
  std::set<TensorType> fast;
  for (const Kernel& kernel : FastKernels()) fast.insert(kernel.type);
  // None is compiled for big-endian hosts.
  const size_t expected = kHostEndian == Endian::kLittle ? 1 : 0;
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (!info.quantized || info.removed != nullptr) continue;
    EXPECT_EQ(fast.count(static_cast<TensorType>(info.id)), expected) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, SimdTest,
                         testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const testing::TestParamInfo<int64_t>& param) {
                           return std::string(hwy::TargetName(param.param));
                         });

}  // namespace
}  // namespace gguf
