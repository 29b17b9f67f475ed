// The sums and counts of importance matrices.
//
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kMatrix = {
    {"imatrix-tensor-named", "imatrix-tensors-paired", "imatrix-type-f32", "imatrix-counts-match"}};

constexpr uint32_t kF32 = 0, kF16 = 1;

using Tensors = std::vector<std::pair<const char*, std::vector<uint64_t>>>;

GgufBuilder Matrix(const Tensors& tensors, uint32_t type = kF32) {
  GgufBuilder b;
  b.String("general.type", "imatrix");
  for (const auto& [name, dims] : tensors) b.Tensor(name, dims, type);
  return b;
}

TEST(ImatrixChecksTest, Right) {
  EXPECT_THAT(kMatrix.In(Matrix({{"w.in_sum2", {8, 3}},
                                 {"w.counts", {1, 3}},
                                 {"w.in_sum", {8, 3}},
                                 {"v.counts", {1}},
                                 {"v.in_sum2", {4}}})),
              IsEmpty());
}

TEST(ImatrixChecksTest, TensorNamed) {
  EXPECT_THAT(kMatrix.In(Matrix({{"w.sums", {8}}})),
              ElementsAre("note imatrix-tensor-named tensor[w.sums]"));
}

TEST(ImatrixChecksTest, TensorsPaired) {
  EXPECT_THAT(
      kMatrix.MessagesIn(Matrix({{"u.in_sum2", {8}}, {"v.counts", {1}}, {"w.in_sum", {8}}})),
      ElementsAre("tensor[u.in_sum2] has no matching .counts tensor",
                  "tensor[v.counts] has no matching .in_sum2 tensor",
                  "tensor[w.in_sum] has no matching .in_sum2 tensor",
                  "tensor[w.in_sum] has no matching .counts tensor"));
}

TEST(ImatrixChecksTest, TypeF32) {
  EXPECT_THAT(kMatrix.In(Matrix({{"w.in_sum2", {8}}, {"w.counts", {1}}}, kF16), "safety"),
              ElementsAre("error imatrix-type-f32 tensor[w.in_sum2].type",
                          "error imatrix-type-f32 tensor[w.counts].type"));
}

TEST(ImatrixChecksTest, CountsMatch) {
  EXPECT_THAT(
      kMatrix.MessagesIn(Matrix({{"w.in_sum2", {8, 3}}, {"w.counts", {1, 2}}})),
      ElementsAre("tensor[w.counts].dims are [1, 2], but \"w.in_sum2\" of [8, 3] requires [1, 3]"));
  // The shape of the counts does not matter, only their number.
  for (const std::vector<uint64_t>& dims : {std::vector<uint64_t>{3}, {3, 1}, {1, 3}}) {
    EXPECT_THAT(kMatrix.In(Matrix({{"w.in_sum2", {8, 3}}, {"w.counts", dims}})), IsEmpty());
  }
  EXPECT_THAT(kMatrix.In(Matrix({{"w.in_sum2", {8, 3}}, {"w.counts", {2, 2}}})),
              ElementsAre("error imatrix-counts-match tensor[w.counts].dims"));
  EXPECT_THAT(kMatrix.In(Matrix({{"w.in_sum2", {8}}, {"w.counts", {1}}, {"w.in_sum", {4}}})),
              ElementsAre("error imatrix-counts-match tensor[w.in_sum].dims"));
}

}  // namespace
}  // namespace gguf
