// Tensor types of other programs.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/container/foreign_type.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const FindingsOf kTypes = {{"tensor-type-known", "tensor-layout-of-type"}};

// Two tensors of a type; the data of the second begins at `offset`.
GgufBuilder Two(uint32_t type, uint64_t offset) {
  return PlainFile().Tensor("w", {256, 2}, type, 0).Tensor("v", {8}, 0, offset);
}

TEST(ForeignTypeTest, NamesTheProgram) {
  // IQ4_KS: 4 bytes for each row, and 136 for 256 elements.
  EXPECT_THAT(kTypes.MessagesIn(Two(144, 288)),
              ElementsAre(HasSubstr("is 144, IQ4_KS of ik_llama.cpp, which llama.cpp ")));
  EXPECT_THAT(kTypes.MessagesIn(Two(144, 288)),
              ElementsAre(HasSubstr("the tensor has the size of this type, 280 bytes")));
  EXPECT_THAT(kTypes.MessagesIn(Two(144, 320)),
              ElementsAre(HasSubstr("it could be IQ4_KS of ik_llama.cpp, but the tensor takes up "
                                    "320 bytes, and 280 in this type")));
  EXPECT_THAT(kTypes.MessagesIn(Two(66, 288)),
              ElementsAre(HasSubstr("is 66, a type of Unsloth's fork of llama.cpp")));
  EXPECT_THAT(kTypes.MessagesIn(Two(1000, 288)),
              ElementsAre(HasSubstr("to check newer types, update ggufcheck")));
}

TEST(ForeignTypeTest, TellsLayoutsOfOneNumberApart) {
  const auto two = [](uint64_t offset) {
    return PlainFile()
        .Tensor("w", {128, 16}, 42, 0)
        .Tensor("v", {128, 16}, 42, offset)
        .Tensor("end", {8}, 0, 2 * offset);
  };
  EXPECT_THAT(kTypes.In(two(576)), IsEmpty());
  EXPECT_THAT(
      kTypes.MessagesIn(two(544)),
      ElementsAre("tensor[w].type is 42 (Q2_0), but the 2 tensors of the type have the sizes of "
                  "PQ2_0 of PrismML's fork of llama.cpp: 128 elements in 34 bytes"));
  EXPECT_THAT(kTypes.In(two(512)), IsEmpty());  // Those of neither.
}

TEST(ForeignTypeTest, NoIdIsThatOfTheSameLayoutInLlamaCpp) {
  for (const ForeignTypeRow& row : kForeignTypes) {
    const TensorTypeInfo* type = FindTensorType(row.id);
    if (type == nullptr) continue;
    EXPECT_NE(type->block_bytes * row.elements,
              static_cast<uint32_t>(row.bytes) * type->block_elements)
        << row.id;
  }
}

}  // namespace
}  // namespace gguf
