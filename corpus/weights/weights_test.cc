// SPDX-License-Identifier: Apache-2.0

#include "corpus/weights/weights.h"

#include <set>
#include <string>

#include "corpus/language/types.h"
#include "corpus/vectors/golden_vectors.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(WeightsTest, TheDefinitionsGiveTheGoldenWeights) {
  std::set<std::string> compared;
  for (const GoldenVector& vector : LoadGoldenVectors()) {
    const TensorType* const type = FindTensorType(vector.type);
    if (type == nullptr) continue;  // Of the legacy formats.
    compared.insert(vector.type);
    const auto weights = WeightsOf(type->id, BlocksOf(vector, type->bytes));
    ASSERT_TRUE(weights) << vector.type << " " << vector.set;
    ASSERT_EQ(weights->size(), vector.blocks * type->block) << vector.type;
    EXPECT_EQ(HashOfWeights(*weights), vector.hash) << vector.type << " " << vector.set;
  }
  EXPECT_EQ(compared.size(), 36u);  // All types that GGUF files can have.
}

TEST(WeightsTest, OnlyWholeBlocksOfKnownTypes) {
  EXPECT_EQ(WeightsOf(0, ""), std::vector<float>());
  EXPECT_EQ(WeightsOf(0, std::string("\0\0\x80\x3f", 4)), std::vector<float>{1});
  EXPECT_FALSE(WeightsOf(0, "123"));
  EXPECT_FALSE(WeightsOf(4, ""));           // Removed.
  EXPECT_FALSE(WeightsOf(0x7FFFFFFF, ""));  // Never existed.
}

}  // namespace
}  // namespace gguf::corpus
