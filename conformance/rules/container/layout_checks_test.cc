// Tests that faults of the place of tensor data are reported, each by the rule
// that it violates.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF32 = 0, kF16 = 1, kI8 = 24;

constexpr uint64_t Power(int exponent) { return uint64_t{1} << exponent; }

// Two F32 tensors of 32 elements, 128 bytes each.
std::string Two(uint64_t first, uint64_t second) {
  GgufBuilder b = PlainFile();
  b.Tensor("v", {32}, kF32, first).Tensor("w", {32}, kF32, second);
  return b.Build();
}

std::string WithDataBytes(std::vector<uint64_t> dims, uint32_t type, uint64_t data_bytes) {
  GgufBuilder b = PlainFile();
  b.Tensor("w", std::move(dims), type);
  b.data_bytes = data_bytes;
  return b.Build();
}

const std::vector<std::string> kWOutside = {"error tensor-data-in-file tensor[w].offset"};

TEST(LayoutChecksTest, FaultsOfTheSize) {
  ExpectFindings({
      {"F16 [512, 2] with 32 bytes", WithDataBytes({512, 2}, kF16, 32), kWOutside},
      {"all of it", WithDataBytes({512, 2}, kF16, 2048), {}},
      {"one byte short", WithDataBytes({512, 2}, kF16, 2047), kWOutside},
      {"no data at all", WithDataBytes({32}, kF32, 0), kWOutside},
      {"last tensor not padded",
       WithDataBytes({33}, kI8, 33),
       {"note last-tensor-padded tensor[w].padding"}},
      {"last tensor padded", WithDataBytes({33}, kI8, 64), {}},
  });
  // A file that ends with its metadata and its tensor table.
  std::string unpadded = GgufBuilder().Tensor("w", {32}, kF32).Build();
  unpadded.resize(57);
  EXPECT_THAT(Findings(unpadded), ElementsAre(kWOutside[0]));
}

TEST(LayoutChecksTest, FaultsOfTheOffset) {
  ExpectFindings({
      {"2^40", Two(0, Power(40)), kWOutside},
      {"2^32", Two(0, Power(32)), kWOutside},
      {"2^64-64", Two(0, ~uint64_t{0} - 63), kWOutside},
      {"wraps to the metadata", Two(0, ~uint64_t{0} - 127), kWOutside},
      {"not aligned", Two(0, 129), {"error tensor-offset-aligned tensor[w].offset"}},
      {"not aligned and inside another",
       Two(0, 127),
       {"error tensor-offset-aligned tensor[w].offset",
        "error tensor-data-disjoint tensor[w].offset"}},
      {"2^64-1",
       Two(0, ~uint64_t{0}),
       {"error tensor-offset-aligned tensor[w].offset",
        "error tensor-data-in-file tensor[w].offset"}},
      {"the same place twice", Two(0, 0), {"error tensor-data-disjoint tensor[w].offset"}},
      {"partly the same place", Two(0, 96), {"error tensor-data-disjoint tensor[w].offset"}},
      {"a gap", Two(0, 160), {"warning tensor-data-contiguous tensor[w].offset"}},
      {"a gap before the first", Two(32, 160), {"warning tensor-data-contiguous tensor[v].offset"}},
      {"out of order",
       Two(128, 0),
       {"warning tensor-data-contiguous tensor[v].offset",
        "warning tensor-data-contiguous tensor[w].offset"}},
  });
  EXPECT_THAT(Findings(Two(0, 160), "llama.cpp"),
              ElementsAre("error tensor-data-contiguous tensor[w].offset"));
  EXPECT_THAT(Findings(Two(0, 160), "safety"), IsEmpty());
}

TEST(LayoutChecksTest, SumsThatWrapAreOutside) {
  GgufBuilder sum = PlainFile();
  sum.Tensor("a", {Power(61) - 16}, kF32, 0)
      .Tensor("b", {Power(61) - 16}, kF32, Power(63) - 64)
      .Tensor("c", {1024}, kF32, ~uint64_t{0} - 127)
      .Tensor("d", {8}, kF32, 3968);
  sum.data_bytes = 4096;
  EXPECT_THAT(Findings(sum.Build()), ElementsAre("error tensor-data-in-file tensor[a].offset",
                                                 "error tensor-data-in-file tensor[b].offset",
                                                 "error tensor-data-in-file tensor[c].offset"));
  GgufBuilder memory = PlainFile();
  memory.Tensor("a", {Power(63) - 64}, kI8, 0).Tensor("b", {Power(63) - 64}, kI8, Power(63) - 64);
  memory.data_bytes = 4096;
  EXPECT_THAT(Findings(memory.Build()), ElementsAre("error tensor-data-in-file tensor[a].offset",
                                                    "error tensor-data-in-file tensor[b].offset"));
}

TEST(LayoutChecksTest, ANextTensorThatBeginsTooSoonOverlaps) {
  GgufBuilder b = PlainFile();
  b.Tensor("v", {64}, kF32, 0).Tensor("w", {32}, kF32, 224);
  EXPECT_THAT(Findings(b.Build()), ElementsAre("error tensor-data-disjoint tensor[w].offset"));
}

TEST(LayoutChecksTest, ATensorInsideAnotherIsFoundBehindAThird) {
  GgufBuilder b = PlainFile();
  b.Tensor("big", {256}, kF32, 0).Tensor("in1", {8}, kF32, 32).Tensor("in2", {8}, kF32, 512);
  EXPECT_THAT(Findings(b.Build()), ElementsAre("error tensor-data-disjoint tensor[in1].offset",
                                               "error tensor-data-disjoint tensor[in2].offset"));
}

TEST(LayoutChecksTest, PaddingIsZero) {
  GgufBuilder b = PlainFile();
  b.Tensor("v", {8}, kI8).Tensor("w", {8}, kI8);
  const std::string good = b.Build();
  EXPECT_THAT(Findings(good), IsEmpty());
  const size_t data = good.size() - 64;
  const auto with_byte = [&](size_t at) {
    std::string file = good;
    file[at] = 'x';
    return file;
  };
  ExpectFindings({
      {"before the data", with_byte(data - 1), {"warning padding-zero file.padding"}},
      {"in the data", with_byte(data + 7), {}},
      {"between tensors", with_byte(data + 8), {"warning padding-zero tensor[v].padding"}},
      {"after the last", with_byte(data + 63), {"warning padding-zero tensor[w].padding"}},
  });
  EXPECT_THAT(Findings(with_byte(data - 1), "spec"),
              ElementsAre("error padding-zero file.padding"));
}

TEST(LayoutChecksTest, AMisalignedTensorHasNoPaddingAndMovesNoOther) {
  GgufBuilder b = PlainFile();
  b.Tensor("v", {32}, kI8, 0).Tensor("w", {16}, kI8, 33);
  b.Tensor("x", {8}, kI8, 64);
  std::string file = b.Build();
  file[file.size() - 96 + 50] = 'x';  // After w.
  EXPECT_THAT(Findings(file), ElementsAre("error tensor-offset-aligned tensor[w].offset"));
}

TEST(LayoutChecksTest, PaddingIsReadInWordsAndCountedInBytes) {
  GgufBuilder b = PlainFile();
  b.Tensor("v", {3}, kI8).Tensor("w", {32}, kI8);
  const std::string good = b.Build();
  const size_t begin = good.size() - 64 + 3, end = good.size() - 32;
  for (size_t first = begin; first < end; ++first) {
    std::string file = good;
    for (size_t at = first; at < end; at += 3) file[at] = 1;
    EXPECT_THAT(Findings(file), ElementsAre("warning padding-zero tensor[v].padding")) << first;
  }
}

TEST(LayoutChecksTest, PaddingOfAHugeAlignmentIsScannedOnce) {
  // 20,000 tensors in one place, each with 1 MiB of padding after it.
  GgufBuilder b = PlainFile();
  b.U32("general.alignment", 1 << 20);
  for (int i = 0; i < 20000; ++i) b.Tensor("t" + std::to_string(i), {1}, kI8, 0);
  std::string file = b.Build();
  file.resize(Power(21) + Power(20));
  EXPECT_THAT(Findings(file, "safety"),
              testing::Contains(testing::StartsWith("error tensor-data-disjoi")));
}

}  // namespace
}  // namespace gguf
