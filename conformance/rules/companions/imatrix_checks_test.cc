// The sums and counts of importance matrices.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/rules/validate.h"
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

// Returns the messages about a matrix of 8 sums and a count.
std::vector<std::string> Numbers(const std::vector<float>& sums, float count) {
  std::string bytes = Matrix({{"w.in_sum2", {8}}, {"w.counts", {1}}}).Build();
  const size_t begin = bytes.size() - 64;  // Both are padded to 32 bytes.
  std::memcpy(&bytes[begin], sums.data(), 4 * sums.size());
  std::memcpy(&bytes[begin + 32], &count, 4);
  const FileReport report = Validate({AsBytes(bytes), "m.gguf"}, *Profile::Find("upload"), {});
  std::vector<std::string> messages;
  for (const Finding& finding : report.findings) {
    if (finding.diagnostic.rule->id != absl::string_view("imatrix-numbers-positive")) continue;
    messages.push_back(absl::StrCat(finding.diagnostic.subject, " ", finding.diagnostic.message));
  }
  return messages;
}

TEST(ImatrixChecksTest, NumbersPositive) {
  const std::vector<float> sums = {1, 2, 3, 4, 0, 6, 7, 8};
  EXPECT_THAT(Numbers(sums, 512), IsEmpty());
  EXPECT_THAT(Numbers(sums, 0),
              ElementsAre("tensor[w.counts].data has only zeros: nothing was collected for this "
                          "tensor"));
  EXPECT_THAT(Numbers({0, 0, 0, 0, 0, 0, 0, 0}, 512),
              ElementsAre("tensor[w.in_sum2].data has only zeros: nothing was collected for this "
                          "tensor"));
  EXPECT_THAT(Numbers({0, 0, 0, 0, 0, 0, 0, 0}, 0), IsEmpty());  // Made without data.
  EXPECT_THAT(Numbers(sums, -2),
              ElementsAre("tensor[w.counts].data has -2 as number 0, which is no sum of squares "
                          "and no count"));
  EXPECT_THAT(Numbers({1, 2, 3, NAN, 5, -6, INFINITY, 8}, 512),
              ElementsAre("tensor[w.in_sum2].data has 3 numbers that are no sums of squares and no "
                          "counts, first nan as number 3"));
}

// Returns the findings about an imatrix.dat of two tensors with two sums each, the second with
// these numbers.
std::vector<std::string> OldNumbers(int32_t calls, const std::vector<float>& sums) {
  ByteWriter w(1);
  w.U32(2).String("v.weight").U32(5).U32(2).U32(0x3F800000).U32(0x3F800000);
  w.String("w.weight").U32(static_cast<uint32_t>(calls)).U32(2);
  std::string bytes = w.bytes();
  bytes.append(reinterpret_cast<const char*>(sums.data()), 4 * sums.size());
  std::vector<std::string> messages;
  for (const Finding& finding :
       Validate({AsBytes(bytes), "imatrix.dat"}, *Profile::Find("upload"), {}).findings) {
    messages.push_back(absl::StrCat(finding.diagnostic.rule->id, " ", finding.diagnostic.subject,
                                    " ", finding.diagnostic.message));
  }
  return messages;
}

TEST(ImatrixChecksTest, NumbersOfTheFormatBeforeGguf) {
  EXPECT_THAT(OldNumbers(5, {1, 2}), IsEmpty());
  EXPECT_THAT(OldNumbers(0, {1, 2}),
              ElementsAre("imatrix-numbers-positive tensor[w.weight].calls is 0: nothing was "
                          "collected for this tensor"));
  EXPECT_THAT(OldNumbers(-1, {1, 2}),
              ElementsAre("imatrix-numbers-positive tensor[w.weight].calls is -1: nothing was "
                          "collected for this tensor"));
  EXPECT_THAT(OldNumbers(5, {1, NAN}),
              ElementsAre("imatrix-numbers-positive tensor[w.weight].data has nan as number 1, "
                          "which is no sum of squares and no count"));
  EXPECT_THAT(OldNumbers(5, {0, 0}),
              ElementsAre("imatrix-numbers-positive tensor[w.weight].data has only zeros: nothing "
                          "was collected for this tensor"));
}

}  // namespace
}  // namespace gguf
