// Compares weights that were damaged with those of the origin.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "conformance/compare/tensor_judge.h"
#include "conformance/testing/compared_weights.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// The rows of a matrix in another order.
std::string Permuted(const std::string& bytes, const std::vector<uint64_t>& order) {
  const uint64_t row = bytes.size() / kRows;
  std::string permuted;
  for (const uint64_t i : order) permuted.append(bytes, i * row, row);
  return permuted;
}

TEST(DamagedWeightsTest, RowsInAnotherOrderAreFound) {
  std::vector<uint64_t> rotated, heads, layers;
  for (uint64_t row = 0; row < kRows; ++row) {
    rotated.push_back((row + 1) % kRows);
    // Heads of 64 rows: the two halves of each are interleaved.
    const uint64_t head = row / 64 * 64, in_head = row % 64;
    heads.push_back(head + in_head / 2 + in_head % 2 * 32);
    // The first half is that of a layer, which is repeated in another.
    layers.push_back(row % (kRows / 2));
  }
  for (const StoredTensor& origin : Origins()) {
    for (const TensorTypeInfo* type : WrittenTypes()) {
      const std::string bytes = Quantized(*type).Matrix();
      for (const auto& order : {rotated, heads, layers}) {
        EXPECT_RESULT(Compare(origin, {type->id, Permuted(bytes, order)}), ComparedTensor::kError);
      }
    }
  }
}

TEST(DamagedWeightsTest, TwoSwappedBlocksAreFound) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    std::string bytes = Quantized(*type).Matrix();
    const uint64_t elements = std::max<uint64_t>(32, type->block_elements);
    const uint64_t size = elements / type->block_elements * type->block_bytes;
    const uint64_t last = bytes.size() / size / 2;  // Of the Gaussian rows.
    std::swap_ranges(&bytes[3 * size], &bytes[4 * size], &bytes[(last - 5) * size]);
    for (const StoredTensor& origin : Origins()) {
      const ComparedTensor found = Compare(origin, {type->id, bytes});
      EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
      EXPECT_LE(found.bad_blocks, 2) << Show(found);
    }
  }
}

// In some kinds of weights, one large weight makes the loss of a whole block of
// 256 as large as that of 32 zeros.  Q2_0 is judged by its own blocks.
TEST(DamagedWeightsTest, SmallBlocksThatAreZeroOrSwappedAreFound) {
  const StoredTensor origin = F32(Original());
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const bool is_small = type->block_elements >= 32 && type->block_elements <= 64;
    if (!is_small || std::string(type->name) == "Q2_0") continue;
    const uint64_t size = type->block_bytes;
    const std::string matrix = Quantized(*type).Matrix();
    uint64_t tried = 0, zero = 0, swapped = 0;
    for (uint64_t i = 0; i + 1 < matrix.size() / size; i += 41) {
      std::string bytes = matrix;
      std::fill_n(&bytes[i * size], size, '\0');
      zero += Compare(origin, {type->id, bytes}).result == ComparedTensor::kBlock;
      bytes = matrix;
      std::swap_ranges(&bytes[i * size], &bytes[(i + 1) * size], &bytes[(i + 1) * size]);
      swapped += Compare(origin, {type->id, bytes}).result == ComparedTensor::kBlock;
      ++tried;
    }
    EXPECT_EQ(zero, tried) << type->name;
    EXPECT_EQ(swapped, tried) << type->name;
  }
}

// The error of unrelated weights is no larger than what Q1_0 loses of outliers.
TEST(DamagedWeightsTest, SwappedBlocksOfOneBitAreFound) {
  const TensorTypeInfo& type = *FindTensorType(41);  // Q1_0
  const std::string matrix = Quantized(type).Matrix();
  const uint64_t size = type.block_bytes, blocks = matrix.size() / size;
  uint64_t found = 0;
  for (uint64_t i = 0; i < blocks / 2; ++i) {
    std::string bytes = matrix;
    char* const block = &bytes[2 * i * size];
    std::swap_ranges(block, block + size, block + size);
    const ComparedTensor compared = Compare(F32(Original()), {type.id, bytes});
    found += compared.result == ComparedTensor::kBlock;
  }
  EXPECT_GE(found, blocks / 2 * 95 / 100);
}

TEST(DamagedWeightsTest, ALastBlockOfFewWeightsIsCountedOnce) {
  constexpr uint64_t kWeights = 8 * 256 + 32;
  Floats origin(kWeights);
  for (uint64_t i = 0; i < kWeights; ++i) {
    origin[i] = static_cast<float>(i % 7) - 3;
  }
  StoredTensor tensor = Q8_0(origin);
  tensor.columns = kWeights;
  std::fill(origin.end() - 32, origin.end(), 0.0f);
  const ComparedTensor found = Compare({0, F32(origin).bytes, kWeights}, tensor);
  EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
  EXPECT_EQ(found.bad_blocks, 1);
  EXPECT_EQ(found.worst_at, kWeights - 32);
}

TEST(DamagedWeightsTest, OtherWeightsAreFound) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02f);
  Floats other(kRows * kColumns);
  for (float& weight : other) weight = normal(random);
  const Floats original = Original();
  Floats transposed(original.size());
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t column = 0; column < kColumns; ++column) {
      transposed[column * kRows + row] = original[row * kColumns + column];
    }
  }
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const Quantized quantized(*type);
    for (const Floats& weights : {other, transposed}) {
      for (const StoredTensor& origin : OriginsOf(weights)) {
        EXPECT_RESULT(Compare(origin, {type->id, quantized.Matrix()}), ComparedTensor::kError);
      }
    }
  }
}

TEST(DamagedWeightsTest, AnotherScaleIsFoundUnlessTheTypeCannotShowIt) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string name = type->name;
    const Quantized quantized(*type);
    const bool three_bits = name.find("Q3_") != name.npos || name == "F8_E4M3";
    Floats smaller = Original();
    for (float& weight : smaller) weight /= three_bits ? 1.2f : 1.02f;
    for (const StoredTensor& origin : OriginsOf(smaller)) {
      const ComparedTensor found = Compare(origin, {type->id, quantized.Matrix()});
      if (found.scale_judged) {
        EXPECT_EQ(found.result, ComparedTensor::kScale) << Show(found);
      } else {
        EXPECT_TRUE(name.find("Q2_") != name.npos || name.find("Q1_") != name.npos) << name;
      }
    }
  }
}

TEST(DamagedWeightsTest, PartsThatAreZeroAreFound) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const Quantized quantized(*type);
    std::string bytes = quantized.Matrix();
    std::fill_n(&bytes[7 * quantized.row], quantized.row, '\0');
    for (const StoredTensor& origin : Origins()) {
      const ComparedTensor found = Compare(origin, {type->id, bytes});
      EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
      EXPECT_EQ(found.worst_at / kColumns, 7) << Show(found);
    }
  }
}

TEST(DamagedWeightsTest, ZerosExceedTheBoundOfEveryType) {
  const Floats original = Original();
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const Quantized quantized(*type);
    const ComparedTensor found =
        Compare(original, quantized, std::string(quantized.Matrix().size(), '\0'));
    EXPECT_EQ(found.result, ComparedTensor::kError) << Show(found);
    EXPECT_GT(found.rmse, found.bound) << type->name;
  }
}

// Returns the bits of a weight.
double BitsOf(const TensorTypeInfo& type) { return 8.0 * type.block_bytes / type.block_elements; }

TEST(DamagedWeightsTest, TheLossOfATypeOfFewerBitsIsFound) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string bytes = Quantized(*type).ThroughFewerBits();
    if (bytes.empty()) continue;
    for (const StoredTensor& origin : Origins()) {
      // An origin of fewer bits has lost as much itself.
      if (BitsOf(*type) > BitsOf(*FindTensorType(origin.type))) continue;
      EXPECT_FOUND(Compare(FirstRows(origin), {type->id, bytes}));
    }
  }
}

TEST(DamagedWeightsTest, WeightsThatHadOneBitAreCalledRequantized) {
  int types = 0;
  for (const TensorTypeInfo* type : WrittenTypes()) {
    if (FindLossBound(*type)->least_slope == 0) continue;
    ++types;
    const Quantized quantized(*type);
    for (const StoredTensor& origin : Origins()) {
      // The error shows it, unless there are outliers.
      if (absl::StartsWith(type->name, "IQ2_")) break;
      const ComparedTensor found =
          Compare(FirstRows(origin), {type->id, quantized.ThroughFewerBits()});
      EXPECT_EQ(found.result, ComparedTensor::kRequantized) << Show(found);
      EXPECT_NEAR(*found.slope, 0, 0.05) << type->name;
    }
    // Pieces do not change the slope.
    CompareOptions options;
    options.piece_weights = 512;
    const StoredTensor origin = F32(Original());
    const StoredTensor tensor = {type->id, quantized.Matrix()};
    const ComparedTensor whole = Compare(origin, tensor);
    EXPECT_GT(*whole.slope, 0.5) << type->name;
    EXPECT_NEAR(*Compare(origin, tensor, options).slope, *whole.slope, 1e-9);
  }
  EXPECT_EQ(types, 7);
}

}  // namespace
}  // namespace gguf
