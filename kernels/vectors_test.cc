// Compares every kernel with the golden vectors of corpus/vectors/vectors.tsv,
// which explains the columns and the blocks.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corpus/vectors/golden_vectors.h"
#include "gtest/gtest.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using corpus::GoldenVector;

const TensorTypeInfo& TypeOf(const GoldenVector& vector) {
  for (const auto types : {AllTensorTypes(), OldTensorTypes()}) {
    for (const TensorTypeInfo& info : types) {
      if (vector.type == info.name && info.removed == nullptr) return info;
    }
  }
  ADD_FAILURE() << "no type " << vector.type;
  return AllTensorTypes()[0];
}

TEST(VectorsTest, EveryKernelGivesTheGoldenWeights) {
  const std::vector<GoldenVector> vectors = corpus::LoadGoldenVectors();
  ASSERT_FALSE(vectors.empty());
  for (const GoldenVector& vector : vectors) {
    const TensorTypeInfo& info = TypeOf(vector);
    const std::string blocks = corpus::BlocksOf(vector, info.block_bytes);
    ASSERT_EQ(blocks.size(), vector.blocks * info.block_bytes) << info.name << " " << vector.set;
    for (const Kernel& kernel : AllKernels()) {
      if (kernel.type != static_cast<TensorType>(info.id)) continue;
      std::vector<float> weights(vector.blocks * info.block_elements);
      kernel.dequantize(reinterpret_cast<const uint8_t*>(blocks.data()), vector.blocks,
                        weights.data());
      EXPECT_EQ(corpus::HashOfWeights(weights), vector.hash)
          << info.name << " " << vector.set << " " << kernel.variant;
    }
  }
}

TEST(VectorsTest, EveryKernelHasRandomVectorsAndQuantizedOnesRealOnes) {
  std::set<std::pair<TensorType, std::string>> sets;
  for (const GoldenVector& vector : corpus::LoadGoldenVectors()) {
    const auto type = static_cast<TensorType>(TypeOf(vector).id);
    EXPECT_TRUE(sets.emplace(type, vector.set).second) << vector.type << " " << vector.set;
  }
  for (const Kernel& kernel : AllKernels()) {
    const TensorTypeInfo& info = GetTensorType(kernel.type);
    EXPECT_TRUE(sets.count({kernel.type, "random"})) << info.name;
    // Nothing quantizes weights to Q8_1 or to the old blocks any more.
    if (!info.quantized || kernel.type == TensorType::kQ8_1 ||
        kernel.type >= TensorType::kFirstOld) {
      continue;
    }
    EXPECT_TRUE(sets.count({kernel.type, "real"})) << info.name;
  }
}

}  // namespace
}  // namespace gguf
