// SPDX-License-Identifier: Apache-2.0

#include "parser/tensor_type.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parser/file.h"

namespace gguf {
namespace {

TEST(TensorTypeTest, TheIdIsTheIndex) {
  ASSERT_GE(AllTensorTypes().size(), 43u);
  for (uint32_t id = 0; id < AllTensorTypes().size(); ++id) {
    EXPECT_EQ(AllTensorTypes()[id].id, id);
    EXPECT_EQ(FindTensorType(id), &AllTensorTypes()[id]);
  }
  EXPECT_EQ(FindTensorType(AllTensorTypes().size()), nullptr);
  EXPECT_EQ(FindTensorType(0xFFFFFFFF), nullptr);
}

TEST(TensorTypeTest, TheEnumeratorsNameTheirRows) {
  EXPECT_STREQ(GetTensorType(TensorType::kF32).name, "F32");
  EXPECT_STREQ(GetTensorType(TensorType::kQ6_K).name, "Q6_K");
  EXPECT_STREQ(GetTensorType(TensorType::kIQ2_S).name, "IQ2_S");
  EXPECT_STREQ(GetTensorType(TensorType::kIQ1_M).name, "IQ1_M");
  EXPECT_STREQ(GetTensorType(TensorType::kMXFP4).name, "MXFP4");
  EXPECT_STREQ(GetTensorType(TensorType::kQ2_0).name, "Q2_0");
}

TEST(TensorTypeTest, BlocksHaveTheSizesOfTheirStructs) {
  // scale f16 + 32 nibbles; 12 bytes of scales and mins + d, dmin + 128
  // nibbles.
  EXPECT_EQ(GetTensorType(TensorType::kQ4_0).block_bytes, 2u + 16u);
  EXPECT_EQ(GetTensorType(TensorType::kQ4_K).block_bytes, 4u + 12u + 128u);
  EXPECT_EQ(GetTensorType(TensorType::kNVFP4).block_bytes, 4u + 32u);
}

TEST(TensorTypeTest, OldTypesStandInOrder) {
  uint32_t id = static_cast<uint32_t>(TensorType::kFirstOld);
  for (const TensorTypeInfo& info : OldTensorTypes()) {
    EXPECT_EQ(info.id, id++) << info.name;
    EXPECT_EQ(&GetTensorType(static_cast<TensorType>(info.id)), &info);
    EXPECT_EQ(FindTensorType(info.id), nullptr) << info.name;
  }
  EXPECT_STREQ(GetTensorType(TensorType::kQ4_1_O).name, "Q4_1_O");
}

TEST(TensorTypeTest, AnIdHasTheMeaningOfItsScheme) {
  const auto name = [](uint32_t id, TypeScheme scheme) {
    const TensorTypeInfo* info = FindTensorType(id, scheme);
    return std::string(info != nullptr ? info->name : "none");
  };
  EXPECT_EQ(name(4, TypeScheme::kGguf), "Q4_2");
  EXPECT_EQ(name(4, TypeScheme::kCurrent), "none");
  EXPECT_EQ(name(42, TypeScheme::kCurrent), "Q2_0");
  EXPECT_EQ(name(4, TypeScheme::kRwkv100), "Q4_1_O");
  EXPECT_EQ(name(7, TypeScheme::kRwkv101), "Q5_0");
  EXPECT_EQ(name(17, TypeScheme::kRwkv101), "none");
  EXPECT_EQ(name(14, TypeScheme::kQnt2), "Q6_K");
  EXPECT_EQ(name(15, TypeScheme::kQnt2), "none");
  EXPECT_EQ(name(9, TypeScheme::kQnt0), "none");
  EXPECT_EQ(name(0xFFFFFFFF, TypeScheme::kQnt1), "none");
}

TEST(TensorTypeTest, EightIdsAreRemoved) {
  int removed = 0;
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    removed += type.removed != nullptr;
  }
  EXPECT_EQ(removed, 8);  // 4, 5, 31, 32, 33, 36, 37, 38.
}

TensorInfo Tensor(std::vector<uint64_t> dims, uint32_t type) {
  TensorInfo tensor;
  tensor.n_dims.value = dims.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i < kMaxDimensions) {
      tensor.dims[i] = dims[i];
    } else {
      MultiplyDimension(dims[i], &tensor.beyond);
      tensor.zero_beyond |= dims[i] == 0;
    }
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
      {{2, 1, 1, 1, 3, 5}, 30},
      {{2, 1, 1, 1, 3, 0}, 0},
      {{65536, 65536, 65536, 256, 256}, std::nullopt},  // 0 modulo 2^64
      {{1, 1, 1, 1, kTwo << 63}, std::nullopt},
      {{1, 1, 1, 1, 0, kTwo << 62, 2}, std::nullopt},
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
      {{256}, 12, 144},                  // Q4_K
      {{32}, 0x7FFFFFFF, std::nullopt},  // No such type.
      {{kTwo << 62}, 0, std::nullopt},   // 2^64 bytes.
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
