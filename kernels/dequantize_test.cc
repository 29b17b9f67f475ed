// SPDX-License-Identifier: Apache-2.0

#include "kernels/dequantize.h"

#include <vector>

#include "gtest/gtest.h"

namespace gguf {
namespace {

std::optional<std::string> Try(TensorType type, size_t n_bytes, size_t n_floats) {
  const std::vector<uint8_t> bytes(n_bytes);
  std::vector<float> weights(n_floats, 7.0f);
  const std::optional<std::string> error =
      Dequantize(type, bytes, absl::MakeSpan(weights), Endian::kLittle);
  if (error) {
    EXPECT_EQ(weights, std::vector<float>(n_floats, 7.0f));
  }
  return error;
}

TEST(DequantizeTest, TakesWholeBlocksAndTheirWeights) {
  EXPECT_EQ(Try(TensorType::kQ8_0, 0, 0), std::nullopt);
  EXPECT_EQ(Try(TensorType::kQ8_0, 34, 32), std::nullopt);
  EXPECT_EQ(Try(TensorType::kQ8_0, 68, 64), std::nullopt);
}

TEST(DequantizeTest, RefusesPartsOfBlocks) {
  EXPECT_EQ(Try(TensorType::kQ8_0, 33, 32), "33 bytes are not whole Q8_0 blocks of 34 bytes");
  EXPECT_EQ(Try(TensorType::kQ8_0, 35, 32), "35 bytes are not whole Q8_0 blocks of 34 bytes");
}

TEST(DequantizeTest, RefusesTheWrongNumberOfFloats) {
  for (const size_t n : {0, 31, 33, 64}) {
    EXPECT_EQ(Try(TensorType::kQ8_0, 34, n),
              "1 Q8_0 blocks of 32 weights do not fill " + std::to_string(n) + " floats");
  }
  EXPECT_EQ(Try(TensorType::kF16, 2, 2), "1 F16 blocks of 1 weights do not fill 2 floats");
  EXPECT_EQ(Try(TensorType::kQ8_0, 0, 32), "0 Q8_0 blocks of 32 weights do not fill 32 floats");
}

TEST(DequantizeTest, RefusesTypesWithoutAKernel) {
  EXPECT_EQ(Try(static_cast<TensorType>(4), 10, 16), "tensor type 4 has no kernel");
  EXPECT_EQ(Try(static_cast<TensorType>(0xFFFFFFFF), 0, 0), "tensor type 4294967295 has no kernel");
}

TEST(DequantizeTest, ReadsBigEndianBlocks) {
  const std::vector<uint8_t> half = {0xC0, 0x00};
  float weight = 0;
  EXPECT_EQ(Dequantize(TensorType::kF16, half, absl::MakeSpan(&weight, 1), Endian::kBig),
            std::nullopt);
  EXPECT_EQ(weight, -2.0f);
}

// Enough blocks for more than one swap buffer.
TEST(DequantizeTest, BothEndiansGiveTheSameWeights) {
  const size_t n = 300;
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    if (info.removed) continue;
    const TensorType type = static_cast<TensorType>(info.id);
    std::vector<uint8_t> little(n * info.block_bytes);
    for (size_t i = 0; i < little.size(); ++i) little[i] = i * 7 % 61;
    std::vector<uint8_t> big(little.size());
    SwapBlocks(type, little.data(), n, big.data());
    std::vector<float> from_little(n * info.block_elements);
    std::vector<float> from_big(from_little.size(), 7.0f);
    EXPECT_EQ(Dequantize(type, little, absl::MakeSpan(from_little), Endian::kLittle), std::nullopt);
    EXPECT_EQ(Dequantize(type, big, absl::MakeSpan(from_big), Endian::kBig), std::nullopt);
    EXPECT_EQ(from_little, from_big) << info.name;
  }
}

}  // namespace
}  // namespace gguf
