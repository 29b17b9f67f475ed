// Compares weights that ggml quantized with those that it had.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "conformance/compare/tensor_judge.h"
#include "conformance/testing/compared_weights.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(CompareTensorsTest, WhatGgmlQuantizesPasses) {
  ASSERT_EQ(Origins().size(), 4);
  for (const StoredTensor& origin : Origins()) {
    for (const TensorTypeInfo* type : WrittenTypes()) {
      const Quantized quantized(*type);
      EXPECT_RESULT(Compare(origin, {type->id, quantized.Matrix()}), ComparedTensor::kPass);
      EXPECT_RESULT(Compare(FirstRows(origin), {type->id, quantized.WithImportance()}),
                    ComparedTensor::kPass);
    }
  }
}

// Both sides have lost something, maybe in opposite directions.  A base has at least three bits a
// weight, and no fewer than the file.
TEST(CompareTensorsTest, WhatGgmlQuantizesPassesAgainstWhatItQuantized) {
  const auto bits = [](const TensorTypeInfo& type) {
    return 8.0 * type.block_bytes / type.block_elements;
  };
  for (const TensorTypeInfo* origin : WrittenTypes()) {
    const StoredTensor from = {origin->id, Quantized(*origin).Matrix()};
    for (const TensorTypeInfo* type : WrittenTypes()) {
      if (bits(*origin) < std::max(3.0, bits(*type))) continue;
      const ComparedTensor found = Compare(from, {type->id, Quantized(*type).Matrix()});
      EXPECT_EQ(found.result, ComparedTensor::kPass) << Show(found);
    }
  }
}

// The blocks of these origins are larger than those that are judged.
TEST(CompareTensorsTest, OriginsOfLargeBlocks) {
  const auto matrix = [](uint32_t id) -> StoredTensor {
    return {id, Quantized(*FindTensorType(id)).Matrix()};
  };
  constexpr uint32_t kQ4K = 12, kQ6K = 14, kQ1_0 = 41, kQ2_0 = 42;
  for (const uint32_t origin : {kQ4K, kQ6K}) {
    for (const TensorTypeInfo* type : WrittenTypes()) {
      EXPECT_RESULT(Compare(matrix(origin), matrix(type->id)), ComparedTensor::kPass);
    }
  }
  // Both lost much, independently.
  EXPECT_GT(Compare(matrix(kQ1_0), matrix(kQ2_0)).rmse, 1);
}

// Half of the largest weights of a block have the sign that Q4_0 represents
// with seven eighths of their magnitude.
TEST(CompareTensorsTest, TernaryWeightsHaveNoWrongScale) {
  constexpr uint32_t kQ4_0 = 2;
  std::mt19937 random(5);
  Floats weights(kRows * kColumns);
  std::string blocks;
  for (size_t i = 0; i < weights.size(); i += 32) {
    // f16: 1/8.  -8 times it is -1; 7 times it is 7/8.
    blocks += std::string("\x00\x30", 2);
    for (size_t k = 0; k < 32; ++k) {
      weights[i + k] = static_cast<float>(static_cast<int>(random() % 3) - 1);
    }
    const auto code = [](float weight) { return weight < 0 ? 0 : weight > 0 ? 15 : 8; };
    for (size_t k = 0; k < 16; ++k) {
      blocks.push_back(static_cast<char>(code(weights[i + k]) | code(weights[i + k + 16]) << 4));
    }
  }
  for (const StoredTensor& origin : OriginsOf(weights)) {
    EXPECT_RESULT(Compare(origin, {kQ4_0, blocks}), ComparedTensor::kPass);
  }
}

TEST(CompareTensorsTest, VectorsOfAnyLength) {
  Floats bias(100, 0.5f);
  bias[99] = 2;
  const auto vector = [](const Floats& weights) {
    return StoredTensor{0, F32(weights).bytes, weights.size()};
  };
  EXPECT_RESULT(Compare(vector(bias), vector(bias)), ComparedTensor::kPass);
  Floats changed = bias;
  changed[99] = 1.99f;
  EXPECT_FOUND(Compare(vector(bias), vector(changed)));
  const Floats zeros(100);
  EXPECT_FOUND(Compare(vector(bias), vector(zeros)));
  EXPECT_FOUND(Compare(vector(zeros), vector(bias)));
  EXPECT_RESULT(Compare(vector(zeros), vector(zeros)), ComparedTensor::kPass);
}

TEST(CompareTensorsTest, TheErrorOfAFewWeightsIsNoScale) {
  Floats weights(kSome * kColumns, 1e-5f);
  weights[1000] = 1.0038f;  // In BF16, it is 1.
  const StoredTensor rounded = Bf16(weights);
  EXPECT_RESULT(Compare(F32(weights), rounded), ComparedTensor::kPass);
  weights[1000] *= 1.02f;
  EXPECT_FOUND(Compare(F32(weights), rounded));
}

TEST(CompareTensorsTest, EqualFloatsHaveEqualErrors) {
  const Floats weights(kSome * kColumns, 0.3f);
  EXPECT_RESULT(Compare(F32(weights), Bf16(weights)), ComparedTensor::kPass);
}

// Rounds weights to numbers of MXFP4 whose largest has the exponent of that of
// the group.
StoredTensor Mxfp4(const Floats& weights) {
  constexpr uint32_t kType = 39;
  constexpr float kNumbers[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  std::string bytes;
  for (size_t i = 0; i < weights.size(); i += 32) {
    float most = 0;
    for (size_t k = 0; k < 32; ++k) {
      most = std::max(most, std::abs(weights[i + k]));
    }
    const int exponent = most > 0 ? std::ilogb(most) - 2 : 0;
    const auto code = [&](float weight) {
      const float scaled = std::ldexp(std::abs(weight), -exponent);
      int nearest = 0;
      for (int c = 1; c < 8; ++c) {
        if (std::abs(kNumbers[c] - scaled) < std::abs(kNumbers[nearest] - scaled)) {
          nearest = c;
        }
      }
      return nearest | (weight < 0 ? 8 : 0);
    };
    bytes.push_back(static_cast<char>(exponent + 127));
    for (size_t k = 0; k < 16; ++k) {
      bytes.push_back(static_cast<char>(code(weights[i + k]) | code(weights[i + k + 16]) << 4));
    }
  }
  return {kType, bytes};
}

// The scale of MXFP4 is a power of two, so the largest of a group may lose a
// quarter.
TEST(CompareTensorsTest, ALargeWeightMayLoseAsMuchAsInABlock) {
  Floats weights(kSome * kColumns, 1e-5f);
  weights[0] = 7.9f;
  EXPECT_RESULT(Compare(F32(weights), Mxfp4(weights)), ComparedTensor::kPass);
}

// Two weights of each of few blocks lose a quarter, the others hardly anything.
TEST(CompareTensorsTest, LargeWeightsOfFewBlocksRaiseTheBound) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 1e-5f);
  Floats weights(uint64_t{3} << 18);
  for (float& weight : weights) weight = normal(random);
  for (size_t i = 0; i < 16; ++i) {
    weights[4096 + 256 * i] = i % 2 ? 7.1f : 5.2f;  // Both become 6.
  }
  const ComparedTensor found = Compare(F32(weights), Mxfp4(weights));
  EXPECT_EQ(found.result, ComparedTensor::kPass) << Show(found);
  EXPECT_GT(found.bound, 0.3);
}

TEST(CompareTensorsTest, AnotherScaleIsFoundIfRowsDiffer) {
  constexpr uint64_t kRow = 4096;
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 0.02f);
  Floats gaussian(192 * kRow);
  for (float& weight : gaussian) weight = normal(random);
  Floats zeros = gaussian, large = gaussian;
  for (uint64_t i = 0; i < gaussian.size(); ++i) {
    if (i / kRow % 3 == 0) zeros[i] = 0;
    if (i / kRow == 1) large[i] *= 1000;
  }
  for (const Floats& weights : {zeros, large}) {
    Floats smaller = weights;
    for (float& weight : smaller) weight /= 1.1f;
    EXPECT_RESULT(Compare(F32(smaller), Mxfp4(weights)), ComparedTensor::kScale);
  }
}

TEST(CompareTensorsTest, EachByteIsComparedOnce) {
  const Floats weights = Original();
  const StoredTensor tensor = F32(weights);
  CompareOptions options;
  options.piece_weights = 512;
  uint64_t compared = 0;
  options.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_EQ(total, tensor.bytes.size());
    EXPECT_LE(done, total);
    compared = done;
  };
  Floats changed = weights;
  changed[1000] *= 2;
  EXPECT_FOUND(Compare(tensor, F32(changed), options));
  EXPECT_EQ(compared, tensor.bytes.size());
}

TEST(CompareTensorsTest, WeightsThatAreNotFiniteAreFound) {
  const Floats original = Original();
  for (const float weight :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Floats changed = original;
    changed[1000] = weight;
    EXPECT_FOUND(Compare(F32(original), F32(changed)));
  }
}

TEST(CompareTensorsTest, PiecesAndThreadsGiveTheSameResult) {
  const Floats original = Original();
  const TensorTypeInfo& type = *FindTensorType(12);  // Q4_K
  const Quantized quantized(type);
  CompareOptions options;
  options.jobs = 3;
  options.piece_weights = 512;
  const ComparedTensor whole = Compare(original, quantized, quantized.Matrix());
  const ComparedTensor pieces = Compare(F32(original), {type.id, quantized.Matrix()}, options);
  EXPECT_NEAR(pieces.rmse, whole.rmse, 1e-12);
  EXPECT_NEAR(pieces.scale, whole.scale, 1e-12);
  EXPECT_EQ(pieces.worst_block, whole.worst_block);
  EXPECT_EQ(pieces.worst_at, whole.worst_at);
  // As a plain loop computes them.
  EXPECT_NEAR(whole.rmse, 0.0749, 0.0001);
  EXPECT_NEAR(whole.gain, 1 - whole.rmse * whole.rmse, 0.005);
}

// Tensors of several pieces.
class LargeTensorsTest : public testing::TestWithParam<uint32_t> {
 protected:
  static constexpr int kTimes = 99;

  const Quantized quantized_{*FindTensorType(GetParam())};
  const StoredTensor small_origin_ = F32(Original());
  const StoredTensor small_ = {quantized_.type.id, quantized_.Matrix()};
  const StoredTensor origin_ = Repeated(small_origin_, kTimes);
  const StoredTensor tensor_ = Repeated(small_, kTimes);
};

TEST_P(LargeTensorsTest, ARepeatedTensorHasTheSameValues) {
  const ComparedTensor small = Compare(small_origin_, small_);
  const ComparedTensor large = Compare(origin_, tensor_);
  EXPECT_EQ(large.result, ComparedTensor::kPass) << Show(large);
  EXPECT_NEAR(large.rmse / small.rmse, 1, 1e-9);
  EXPECT_NEAR(large.scale, small.scale, 1e-9);
  EXPECT_NEAR(large.gain, small.gain, 1e-9);
  EXPECT_NEAR(large.cosine, small.cosine, 1e-9);
  // Few blocks may lose somewhat more.
  EXPECT_NEAR(large.bound / small.bound, 1, 0.02);
  EXPECT_EQ(large.worst_block, small.worst_block);
  EXPECT_EQ(large.worst_at, small.worst_at);
  EXPECT_EQ(large.max_error, small.max_error);
}

TEST_P(LargeTensorsTest, PiecesGiveTheSameResult) {
  const ComparedTensor whole = Compare(origin_, tensor_);
  for (const uint64_t piece : {512, 3328}) {
    CompareOptions options;
    options.jobs = 3;
    options.piece_weights = piece;
    const ComparedTensor pieces = Compare(origin_, tensor_, options);
    EXPECT_NEAR(pieces.rmse, whole.rmse, 1e-12);
    EXPECT_NEAR(pieces.bound, whole.bound, 1e-12);
    EXPECT_NEAR(pieces.scale, whole.scale, 1e-12);
    EXPECT_EQ(pieces.worst_block, whole.worst_block);
    EXPECT_EQ(pieces.worst_at, whole.worst_at);
    EXPECT_EQ(pieces.max_error, whole.max_error);
  }
}

TEST_P(LargeTensorsTest, AWrongBlockIsFound) {
  const TensorTypeInfo& type = quantized_.type;
  StoredTensor wrong = tensor_;
  constexpr uint64_t kBlock = 4096 * 26 + 512;
  const uint64_t at = kBlock / type.block_elements * type.block_bytes;
  std::fill_n(&wrong.bytes[at], type.block_bytes, '\0');
  const ComparedTensor found = Compare(origin_, wrong);
  EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
  EXPECT_EQ(found.bad_blocks, 1);
  EXPECT_EQ(found.worst_at, kBlock);
}

TEST_P(LargeTensorsTest, AnotherScaleIsFound) {
  Floats smaller = Original();
  for (float& weight : smaller) weight /= 1.02f;
  EXPECT_RESULT(Compare(Repeated(F32(smaller), kTimes), tensor_), ComparedTensor::kScale);
}

INSTANTIATE_TEST_SUITE_P(Types, LargeTensorsTest,
                         testing::Values(8, 12, 20));  // Q8_0, Q4_K, IQ4_NL

// No block loses more than it may.
TEST(CompareTensorsTest, TheLargestErrorIsThatOfAllBlocks) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 0.02f);
  Floats weights(uint64_t{3} << 18);
  for (uint64_t i = 0; i < weights.size(); ++i) {
    weights[i] = normal(random) * (i / 256 == 21 ? 10.0f : 1.0f);
  }
  const double small = Compare(F32(Floats(weights.begin(), weights.begin() + 4096)),
                               Q8_0(Floats(weights.begin(), weights.begin() + 4096)))
                           .max_error;
  const ComparedTensor found = Compare(F32(weights), Q8_0(weights));
  EXPECT_EQ(found.result, ComparedTensor::kPass) << Show(found);
  EXPECT_GT(found.max_error, 7 * small);
}

TEST(CompareTensorsTest, EveryTypeThatIsWrittenHasBounds) {
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    const std::string name = type.name;
    const bool is_inner = name == "Q8_1" || name == "Q8_K";
    EXPECT_EQ(FindLossBound(type) != nullptr, type.removed == nullptr && !is_inner) << name;
  }
}

}  // namespace
}  // namespace gguf
