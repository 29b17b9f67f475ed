// SPDX-License-Identifier: Apache-2.0

#include "parser/core/tensor_size.h"

#include <vector>

#include "gtest/gtest.h"

namespace gguf {
namespace {

TensorInfo Tensor(std::vector<uint64_t> dims, uint32_t type) {
  TensorInfo tensor;
  tensor.n_dims.value = dims.size();
  for (size_t i = 0; i < dims.size() && i < kMaxDimensions; ++i) {
    tensor.dims[i] = dims[i];
  }
  tensor.type.value = type;
  return tensor;
}

constexpr uint64_t kTwo = 1;  // kTwo << n is 2^n.

TEST(TensorSizeTest, ElementsAreCountedWithoutWrapping) {
  const struct {
    std::vector<uint64_t> dims;
    std::optional<uint64_t> elements;
  } kCases[] = {
      {{}, 1},
      {{7}, 7},
      {{2, 3, 5, 7}, 210},
      {{2, 0, 3}, 0},
      {{(kTwo << 63) - 1}, (kTwo << 63) - 1},
      {{kTwo << 63}, std::nullopt},
      {{~uint64_t{0}}, std::nullopt},
      {{kTwo << 32, kTwo << 31}, std::nullopt},  // 2^63
      {{kTwo << 32, kTwo << 32}, std::nullopt},  // 0 modulo 2^64
      {{65536, 65536, 65536, 65536}, std::nullopt},
      {{4194305, 4194305, 211106198978564}, std::nullopt},  // 4 modulo 2^64
      {{0, (kTwo << 63) - 1, (kTwo << 63) - 1}, std::nullopt},
      {{1, 1, 1, 1, 1}, std::nullopt},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ElementCount(Tensor(c.dims, 0)), c.elements) << testing::PrintToString(c.dims);
  }
}

TEST(TensorSizeTest, BytesAreCountedInBlocks) {
  const struct {
    std::vector<uint64_t> dims;
    uint32_t type;
    std::optional<uint64_t> bytes;
  } kCases[] = {
      {{}, 0, 4},
      {{32, 3}, 2, 54},         // Q4_0
      {{31}, 2, std::nullopt},  // Not whole blocks.
      {{16, 2}, 2, std::nullopt},
      {{}, 2, std::nullopt},
      {{0}, 2, 0},
      {{256}, 12, 144},                 // Q4_K
      {{32}, 43, std::nullopt},         // No such type.
      {{kTwo << 62}, 0, std::nullopt},  // 2^64 bytes.
      {{4, (kTwo << 60) + 1}, 0, std::nullopt},
      {{(kTwo << 62) - 1}, 0, std::nullopt},  // Padding wraps.
      {{(kTwo << 62) - 8}, 0, (kTwo << 63) - 32 + (kTwo << 63)},
      {{1024819115206086208}, 2, 576460752303423492},  // No wrap before /32.
      {{(kTwo << 63) - 3}, 24, (kTwo << 63) - 3},      // I8
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ByteSize(Tensor(c.dims, c.type), 32), c.bytes)
        << testing::PrintToString(c.dims) << " of type " << c.type;
  }
}

}  // namespace
}  // namespace gguf
