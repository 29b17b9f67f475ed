// Tests of what the metadata states about the tensors' types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF32 = 0, kF16 = 1, kQ5_0 = 6, kQ8_0 = 8, kQ4_K = 12, kQ6_K = 14;

const FindingsOf kQuantization = {{"quantization-version-present", "quantization-version-current",
                                   "file-type-known", "file-type-specified",
                                   "file-type-matches-tensors"}};

// A file of that type, with matrices of these rows and types.
GgufBuilder File(uint32_t file_type, const std::vector<std::pair<uint64_t, uint32_t>>& matrices) {
  GgufBuilder b = PlainFile();
  b.U32("general.file_type", file_type).U32("general.quantization_version", 2);
  int number = 0;
  for (const auto& [row, type] : matrices) {
    b.Tensor("t" + std::to_string(number++), {row, 2}, type);
  }
  return b;
}

TEST(QuantizationChecksTest, VersionOfQuantizedFiles) {
  GgufBuilder plain = PlainFile(), quantized = PlainFile();
  plain.Tensor("w", {32, 2}, kF16);
  quantized.Tensor("v", {32, 2}, kF16).Tensor("w", {32, 2}, kQ8_0);
  EXPECT_THAT(kQuantization.In(plain, "spec"), IsEmpty());
  EXPECT_THAT(kQuantization.In(quantized, "spec"),
              ElementsAre("error quantization-version-present kv[general.architecture].value"));
  EXPECT_THAT(
      kQuantization.MessagesIn(quantized),
      ElementsAre("kv[general.architecture].value is that of a file with quantized tensors, such "
                  "as \"w\" (Q8_0), but general.quantization_version is missing; write 2"));
  GgufBuilder nameless;
  nameless.Tensor("w", {32, 2}, kQ8_0);
  EXPECT_THAT(kQuantization.In(nameless),
              ElementsAre("warning quantization-version-present kv[general.quantization_version]"));
  EXPECT_THAT(kQuantization.MessagesIn(nameless),
              ElementsAre("kv[general.quantization_version] is missing, although tensors are "
                          "quantized, such as \"w\" (Q8_0); write 2"));
  quantized.Key("split.no", 2, ByteWriter().U16(1));
  EXPECT_THAT(kQuantization.In(quantized), IsEmpty());
  EXPECT_THAT(kQuantization.NotCheckedIn(quantized),
              ElementsAre("quantization-version-present: the keys of the model are in its first "
                          "shard, which is not at hand"));
}

TEST(QuantizationChecksTest, VersionIs2) {
  const auto version = [](uint32_t number) {
    return PlainFile().U32("general.quantization_version", number);
  };
  EXPECT_THAT(kQuantization.In(version(2)), IsEmpty());
  for (const uint32_t other : {0, 1, 3}) {
    EXPECT_THAT(
        kQuantization.In(version(other)),
        ElementsAre("warning quantization-version-current kv[general.quantization_version].value"));
  }
}

TEST(QuantizationChecksTest, FileTypeIsKnown) {
  EXPECT_THAT(kQuantization.In(File(41, {}), "upload"), IsEmpty());
  EXPECT_THAT(kQuantization.In(File(18, {}), "spec"), IsEmpty());
  EXPECT_THAT(kQuantization.In(File(19, {}), "spec"),
              ElementsAre("warning file-type-specified kv[general.file_type].value"));
  for (const uint32_t id : {999u, 1024u, 1031u, ~0u}) {
    EXPECT_THAT(kQuantization.In(File(id, {})),
                ElementsAre("warning file-type-known kv[general.file_type].value"));
  }
  EXPECT_THAT(kQuantization.MessagesIn(File(33, {})),
              ElementsAre("kv[general.file_type].value is 33 (Q4_0_4_4), which was removed"));
}

TEST(QuantizationChecksTest, FileTypeIsThatOfMost) {
  // Most tensors, or most elements.
  EXPECT_THAT(kQuantization.In(File(7, {{32, kQ8_0}, {64, kQ8_0}, {32, kF16}})), IsEmpty());
  EXPECT_THAT(kQuantization.In(File(7, {{32, kQ8_0}, {32, kQ8_0}, {320, kF16}})), IsEmpty());
  EXPECT_THAT(kQuantization.In(File(1, {{32, kQ8_0}, {32, kQ8_0}, {320, kF16}})), IsEmpty());
  EXPECT_THAT(
      kQuantization.MessagesIn(File(7, {{32, kQ8_0}, {64, kF16}, {32, kF16}})),
      ElementsAre(
          "kv[general.file_type].value is 7 (Q8_0), but this is the type of 1 of 3 matrices; "
          "F16 (file type 1) is the type of 2"));
  EXPECT_THAT(kQuantization.In(File(0, {{32, kF16}})),
              ElementsAre("note file-type-matches-tensors kv[general.file_type].value"));
}

TEST(QuantizationChecksTest, OnlyTensorsThatCouldHaveTheTypeCount) {
  // Rows that are not a multiple of 256 get another type; vectors keep theirs.
  GgufBuilder b = File(15, {{256, kQ4_K}, {96, kQ5_0}, {96, kQ5_0}});
  b.Tensor("v1", {256}, kF32).Tensor("v2", {256}, kF32);
  EXPECT_THAT(kQuantization.In(b), IsEmpty());
  EXPECT_THAT(kQuantization.In(File(15, {{96, kQ5_0}})), IsEmpty());
  EXPECT_THAT(kQuantization.In(File(15, {{256, kQ6_K}, {96, kQ5_0}})),
              ElementsAre("note file-type-matches-tensors kv[general.file_type].value"));
  // Types of a mix: IQ3_XS is IQ3_S or IQ3_XXS.
  for (const uint32_t type : {18, 21}) {
    EXPECT_THAT(kQuantization.In(File(22, {{256, type}})), IsEmpty());
  }
}

TEST(QuantizationChecksTest, HostileShapesAndTypesAreSurvived) {
  GgufBuilder b = File(7, {{32, kQ8_0}});
  b.Tensor("huge", {1ull << 62, 1ull << 62}, kF16, 0)
      .Tensor("huge2", {1ull << 31, 1ull << 31}, kF16, 0)
      .Tensor("unknown", {32, 2}, 0x7FFFFFFF, 0)
      .Tensor("none", {0, 2}, kF16, 0);
  EXPECT_THAT(kQuantization.In(b),
              ElementsAre("note file-type-matches-tensors kv[general.file_type].value"));
}

}  // namespace
}  // namespace gguf
