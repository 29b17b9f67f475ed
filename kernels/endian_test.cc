// SPDX-License-Identifier: Apache-2.0

#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/dequantize.h"

namespace gguf {
namespace {

// Blocks of the bytes 0, 1, 2...
std::vector<uint8_t> CountingBlocks(TensorType type, int n_blocks) {
  std::vector<uint8_t> blocks(n_blocks * GetTensorType(type).block_bytes);
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

std::vector<uint8_t> Swapped(TensorType type, int n_blocks) {
  const std::vector<uint8_t> blocks = CountingBlocks(type, n_blocks);
  std::vector<uint8_t> swapped(blocks.size());
  SwapBlocks(type, blocks.data(), n_blocks, swapped.data());
  return swapped;
}

TEST(EndianTest, EveryLivingTypesRunsMakeAWholeBlock) {
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    uint32_t bytes = 0;
    for (const NumberRun& run : info.fields) {
      bytes += run.count * run.width;
    }
    EXPECT_EQ(bytes, info.removed ? 0 : info.block_bytes) << info.name;
  }
}

TEST(EndianTest, SwappingTwiceChangesNothing) {
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (info.removed) continue;
    const TensorType type = static_cast<TensorType>(info.id);
    std::vector<uint8_t> blocks = Swapped(type, 3);
    SwapBlocks(type, blocks.data(), 3, blocks.data());
    EXPECT_EQ(blocks, CountingBlocks(type, 3)) << info.name;
  }
}

// One type for each shape of block; the positions and widths of its numbers
// were written by hand.  `swaps` is {first byte, width}...
struct HandMade {
  TensorType type;
  std::vector<std::pair<int, int>> swaps;
};

TEST(EndianTest, TheNumbersOfABlockAreTurnedRound) {
  const HandMade kHandMade[] = {
      {TensorType::kI8, {}},
      {TensorType::kF8_E4M3, {}},
      {TensorType::kMXFP4, {}},
      {TensorType::kBF16, {{0, 2}}},
      {TensorType::kF32, {{0, 4}}},
      {TensorType::kI64, {{0, 8}}},
      {TensorType::kQ8_0, {{0, 2}}},
      {TensorType::kQ5_1, {{0, 2}, {2, 2}, {4, 4}}},
      {TensorType::kQ2_K, {{80, 2}, {82, 2}}},
      {TensorType::kQ4_K, {{0, 2}, {2, 2}}},
      {TensorType::kQ6_K, {{208, 2}}},
      {TensorType::kIQ1_S,
       {{0, 2}, {34, 2}, {36, 2}, {38, 2}, {40, 2}, {42, 2}, {44, 2}, {46, 2}, {48, 2}}},
      {TensorType::kIQ1_M, {{48, 2}, {50, 2}, {52, 2}, {54, 2}}},
      {TensorType::kIQ2_XXS,
       {{0, 2}, {6, 4}, {14, 4}, {22, 4}, {30, 4}, {38, 4}, {46, 4}, {54, 4}, {62, 4}}},
      {TensorType::kIQ3_XXS,
       {{0, 2}, {66, 4}, {70, 4}, {74, 4}, {78, 4}, {82, 4}, {86, 4}, {90, 4}, {94, 4}}},
      {TensorType::kIQ4_XS, {{0, 2}, {2, 2}}},
  };
  for (const HandMade& made : kHandMade) {
    const int size = GetTensorType(made.type).block_bytes;
    std::vector<uint8_t> expected = CountingBlocks(made.type, 2);
    for (const auto& [first, width] : made.swaps) {
      for (int i = 0; i < width; ++i) {
        expected[first + i] = first + width - 1 - i;
        expected[size + first + i] = size + first + width - 1 - i;
      }
    }
    EXPECT_EQ(Swapped(made.type, 2), expected) << GetTensorType(made.type).name;
  }
}

}  // namespace
}  // namespace gguf
