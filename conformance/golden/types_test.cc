// Checks that the type tables of the corpus and of the parser agree.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/types.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "parser/tensor_type.h"
#include "parser/value.h"

namespace gguf {
namespace {

TEST(TypesTest, TensorTypesAgree) {
  for (uint32_t id = 0; id < 100; ++id) {
    const TensorTypeInfo* const ours = FindTensorType(id);
    const corpus::TensorType* const theirs = corpus::FindTensorType(id);
    const bool in_use = ours != nullptr && ours->removed == nullptr;
    ASSERT_EQ(in_use, theirs != nullptr) << id;
    if (!in_use) continue;
    EXPECT_STREQ(ours->name, theirs->name);
    EXPECT_EQ(ours->block_elements, theirs->block) << ours->name;
    EXPECT_EQ(ours->block_bytes, theirs->bytes) << ours->name;
  }
}

TEST(TypesTest, ValueTypesAgree) {
  for (uint32_t id = 0; id < 100; ++id) {
    const ValueTypeInfo* const ours = FindValueType(id, 3);
    const corpus::ScalarType* const theirs = corpus::FindScalar(id);
    const bool is_scalar = ours != nullptr && ours->size > 0;
    ASSERT_EQ(is_scalar, theirs != nullptr) << id;
    if (ours != nullptr) {
      EXPECT_EQ(corpus::ValueTypeId(ours->name), id) << ours->name;
    }
    if (!is_scalar) continue;
    EXPECT_STREQ(ours->name, theirs->name);
    EXPECT_EQ(ours->size, theirs->bytes) << ours->name;
  }
}

}  // namespace
}  // namespace gguf
