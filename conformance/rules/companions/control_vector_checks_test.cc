// The directions of control vectors.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kVector = {{"control-vector-direction-named", "control-vector-layer-plain",
                             "control-vector-layer-plausible", "control-vector-type-f32",
                             "control-vector-one-dimension", "control-vector-lengths-equal"}};

constexpr uint32_t kF32 = 0, kF16 = 1;

GgufBuilder Vector() {
  GgufBuilder b;
  b.String("general.architecture", "controlvector");
  return b;
}

TEST(ControlVectorChecksTest, DirectionNamed) {
  for (const char* name : {"direction.1", "direction.31", "direction.512"}) {
    EXPECT_THAT(kVector.In(Vector().Tensor(name, {8}, kF32)), IsEmpty()) << name;
  }
  for (const char* name :
       {"direction.0", "direction.-1", "direction.x", "direction.", "direction.+", "direction.- 1",
        "direction", "directions.1", "x.direction.1", "1", "direction.2147483648",
        "direction.99999999999999999999"}) {
    EXPECT_THAT(
        kVector.In(Vector().Tensor(name, {8}, kF32)),
        ElementsAre("error control-vector-direction-named tensor[" + std::string(name) + "]"))
        << name;
  }
}

TEST(ControlVectorChecksTest, LayerPlain) {
  for (const char* name : {"direction.31x", "direction.031", "direction.+31", "direction. 31",
                           "direction.31.5", "direction.31.weight"}) {
    EXPECT_THAT(kVector.MessagesIn(Vector().Tensor(name, {8}, kF32)),
                ElementsAre("tensor[" + std::string(name) +
                            "] is read as layer 31, whose direction is named direction.31"));
  }
}

TEST(ControlVectorChecksTest, LayerPlausible) {
  EXPECT_THAT(kVector.MessagesIn(Vector().Tensor("direction.513", {8}, kF32)),
              ElementsAre("tensor[direction.513] is for layer 513, which is more than 512"));
  EXPECT_THAT(kVector.In(Vector().Tensor("direction.1073741824", {8}, kF32), "safety"),
              ElementsAre("error control-vector-layer-plausible tensor[direction.1073741824]"));
}

TEST(ControlVectorChecksTest, TypeAndShape) {
  EXPECT_THAT(kVector.MessagesIn(Vector().Tensor("direction.1", {8}, kF16)),
              ElementsAre("tensor[direction.1].type is F16, not F32"));
  EXPECT_THAT(kVector.In(Vector().Tensor("direction.1", {8, 1, 1}, kF32)), IsEmpty());
  EXPECT_THAT(kVector.In(Vector().Tensor("direction.1", {8, 0}, kF32)), IsEmpty());
  EXPECT_THAT(kVector.In(Vector().Tensor("direction.1", {8, 2}, kF32)),
              ElementsAre("error control-vector-one-dimension tensor[direction.1].dims"));
}

TEST(ControlVectorChecksTest, LengthsEqual) {
  EXPECT_THAT(
      kVector.MessagesIn(Vector()
                             .Tensor("direction.1", {8}, kF32)
                             .Tensor("direction.2", {8}, kF32)
                             .Tensor("direction.3", {9}, kF32)),
      ElementsAre("tensor[direction.3].dims have length 9, but \"direction.1\" has length 8"));
}

TEST(ControlVectorChecksTest, OtherFilesAreNotJudged) {
  GgufBuilder b;
  b.String("general.architecture", "llama").Tensor("direction.0", {8}, kF16).Tensor("w", {8}, kF32);
  EXPECT_THAT(kVector.In(b), IsEmpty());
}

}  // namespace
}  // namespace gguf
