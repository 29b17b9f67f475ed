// Tensors of which few blocks lose much: by an importance matrix, or by damage.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/compare/tensor_judge.h"
#include "conformance/testing/compared_weights.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// Larger steps of some blocks, as quantizers choose them if one column is far
// more important than the others.
class UnevenTensorTest : public testing::Test {
 protected:
  using Times = std::function<float(uint64_t block)>;

  static constexpr uint64_t kBlock = 800;  // A block of 32 weights.
  static constexpr size_t kBlockBytes = 22;

  ComparedTensor CompareWith(const Times& times) const {
    return Compare(F32(weights_), Q5_0(weights_, times));
  }
  static float One(uint64_t) { return 1; }
  // All groups of one of so many blocks of 256 weights.
  static Times OneOf(uint64_t blocks, float times) {
    return [=](uint64_t block) { return block / 8 % blocks ? 1 : times; };
  }
  // One group of each of these.
  static Times GroupsOfOneOf(uint64_t blocks, float times) {
    return [=](uint64_t block) { return block % (8 * blocks) ? 1 : times; };
  }
  static Times InOne(float times) {
    return [=](uint64_t block) { return block == kBlock ? times : 1; };
  }

  const Floats weights_ = GaussianWeights(kRows * kColumns);
};

TEST_F(UnevenTensorTest, AGroupOfALargerStepFollowsTheOrigin) {
  EXPECT_RESULT(CompareWith(One), ComparedTensor::kPass);
  EXPECT_GT(CompareWith(One).worst_block, 0);
  const ComparedTensor one = CompareWith(InOne(11));
  EXPECT_EQ(one.result, ComparedTensor::kUneven) << Show(one);
  EXPECT_EQ(one.bad_blocks, 0) << Show(one);
  EXPECT_EQ(one.uneven_blocks, 1) << Show(one);
  EXPECT_EQ(one.worst_at, kBlock * 32) << Show(one);
  EXPECT_GT(one.worst_block, 1) << Show(one);
  EXPECT_RESULT(CompareWith(InOne(28)), ComparedTensor::kBlock);
}

TEST_F(UnevenTensorTest, AFewBlocksMayExceedTheBoundOfATensor) {
  const ComparedTensor few = CompareWith(GroupsOfOneOf(6, 8));
  EXPECT_EQ(few.result, ComparedTensor::kUneven) << Show(few);
  EXPECT_GT(few.rmse, few.bound) << Show(few);
  EXPECT_RESULT(CompareWith(GroupsOfOneOf(2, 8)), ComparedTensor::kError);
  // An importance matrix does not spoil all groups of a block.
  EXPECT_FOUND(CompareWith(OneOf(6, 6)));
  EXPECT_NE(CompareWith(OneOf(6, 6)).result, ComparedTensor::kUneven);
}

// Each block is within its own bound.
TEST_F(UnevenTensorTest, BlocksThatLoseMoreThanMostMayExceedTheBoundOfATensor) {
  const StoredTensor origin = F32(weights_);
  StoredTensor tensor = Q5_0(weights_, [](uint64_t block) {
    return block % 32 < 2 ? 5 : 1;  // Two groups of every fourth block of 256.
  });
  const ComparedTensor found = Compare(origin, tensor);
  EXPECT_EQ(found.result, ComparedTensor::kUneven) << Show(found);
  EXPECT_GT(found.rmse, found.bound) << Show(found);
  EXPECT_LE(found.worst_block, 1) << Show(found);
  // A wrong block among them is found, and named.
  std::fill_n(&tensor.bytes[500 * kBlockBytes], kBlockBytes, '\0');
  const ComparedTensor wrong = Compare(origin, tensor);
  EXPECT_EQ(wrong.result, ComparedTensor::kBlock) << Show(wrong);
  EXPECT_EQ(wrong.worst_at, 500 / 8 * kMostBlock) << Show(wrong);
}

TEST_F(UnevenTensorTest, AnOriginMayBeUneven) {
  EXPECT_RESULT(Compare(Q5_0(weights_, InOne(16)), F32(weights_)), ComparedTensor::kUneven);
}

TEST_F(UnevenTensorTest, NothingFollowsZeros) {
  Floats weights = weights_;
  std::fill_n(&weights[kBlock * 32], kMostBlock, 0.0f);
  StoredTensor tensor = Q5_0(weights_, One);
  const uint64_t at = kBlock * kBlockBytes;
  std::fill_n(&tensor.bytes[at], 8 * kBlockBytes, '\0');
  EXPECT_RESULT(Compare(F32(weights), tensor), ComparedTensor::kPass);
  // -15 times the scale, which is 2^-24.
  tensor.bytes[at] = '\x01';
  std::fill_n(&tensor.bytes[at + 6], 16, '\x11');
  EXPECT_RESULT(Compare(F32(weights), tensor), ComparedTensor::kBlock);
}

TEST_F(UnevenTensorTest, NoOtherDamageIsHidden) {
  const StoredTensor tensor = Q5_0(weights_, InOne(11));
  const auto expect_block = [&](const std::string& block) {
    StoredTensor wrong = tensor;
    wrong.bytes.replace(500 * kBlockBytes, kBlockBytes, block);
    const ComparedTensor found = Compare(F32(weights_), wrong);
    EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
    EXPECT_EQ(found.bad_blocks, 1) << Show(found);
    EXPECT_EQ(found.worst_at, 500 / 8 * kMostBlock) << Show(found);
  };
  const auto block_of = [&](const Floats& weights) {
    return Q5_0(weights, One).bytes.substr(500 * kBlockBytes, kBlockBytes);
  };
  expect_block(std::string(kBlockBytes, '\0'));
  expect_block(tensor.bytes.substr(501 * kBlockBytes, kBlockBytes));
  Floats larger = weights_, halves = weights_;
  for (float& weight : larger) weight *= 2.5f;
  expect_block(block_of(larger));
  for (uint64_t i = 0; i < halves.size(); ++i) {
    if (i % 32 < 16) halves[i] = 0;
  }
  expect_block(block_of(halves));
}

TEST_F(UnevenTensorTest, LargeWeightsOfUnevenBlocksHideNoLossOfTheRest) {
  Floats weights = weights_;
  for (uint64_t i = 0; i < weights.size(); ++i) {
    if (i / kMostBlock % 6 == 0) weights[i] *= 100;
  }
  const Times larger = GroupsOfOneOf(6, 8);
  for (const float times : {1.0f, 2.2f}) {
    const auto steps = [&](uint64_t block) { return block / 8 % 6 == 0 ? larger(block) : times; };
    EXPECT_RESULT(Compare(F32(weights), Q5_0(weights, steps)),
                  times == 1 ? ComparedTensor::kUneven : ComparedTensor::kError);
  }
}

// A quarter of the rows is 3.5 times as small as that of the origin.
TEST_F(UnevenTensorTest, WrongRowsAreNotUneven) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const LossBound& bound = *FindLossBound(*type);
    if (bound.uneven == 0 || !bound.shows_scale()) continue;
    const Quantized quantized(*type);
    Floats origin = Original();
    for (uint64_t i = origin.size() / 2; i < origin.size() * 3 / 4; ++i) {
      origin[i] *= 3.5f;
    }
    const ComparedTensor found = Compare(F32(origin), {type->id, quantized.Matrix()});
    EXPECT_GT(found.result, ComparedTensor::kPass) << Show(found);
    EXPECT_NE(found.result, ComparedTensor::kUneven) << Show(found);
  }
}

// The quantizers of these types do not use importances.
TEST_F(UnevenTensorTest, FloatsAndQ8_0AreNotUneven) {
  Floats larger = weights_;
  for (uint64_t i = kBlock * 32; i < (kBlock + 1) * 32; ++i) {
    larger[i] *= 1.02f;
  }
  const std::vector<StoredTensor> right = OriginsOf(weights_);
  const std::vector<StoredTensor> wrong = OriginsOf(larger);
  for (size_t i = 0; i < right.size(); ++i) {
    EXPECT_RESULT(Compare(right[0], right[i]), ComparedTensor::kPass);
    EXPECT_RESULT(Compare(right[0], wrong[i]), ComparedTensor::kBlock);
  }
}

}  // namespace
}  // namespace gguf
