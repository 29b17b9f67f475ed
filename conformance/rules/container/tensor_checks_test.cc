// Tests that faults of the tensor table are reported, each by the rule that it
// violates.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF32 = 0, kQ4_0 = 2, kI8 = 24;

constexpr uint64_t Power(int exponent) { return uint64_t{1} << exponent; }

std::string Shaped(std::vector<uint64_t> dims, uint32_t type = kF32) {
  return PlainFile().Tensor("w", std::move(dims), type).Build();
}

std::string Named(absl::string_view name) { return PlainFile().Tensor(name, {32}, kF32).Build(); }

TEST(TensorChecksTest, FaultsOfTheNumberOfDimensions) {
  const std::vector<std::string> expected = {"error tensor-dimension-count tensor[w].n_dims"};
  std::vector<FaultCase> cases = {
      {"4", Shaped({2, 2, 2, 4}), {}},
      {"0", Shaped({}), {"warning tensor-rank-nonzero tensor[w].n_dims"}},
  };
  for (const size_t rank : {5, 8, 9, 100}) {
    cases.push_back({absl::StrCat(rank), Shaped(std::vector<uint64_t>(rank, 1)), expected});
  }
  // 2^32-1 dimensions do not fit into the file at all.
  GgufBuilder b = PlainFile();
  b.tensor_count = 1;
  cases.push_back(
      {"2^32-1", b.Build() + ByteWriter().String("w").U32(0xFFFFFFFF).Zeros(64).bytes(), expected});
  ExpectFindings(cases);
}

TEST(TensorChecksTest, FaultsOfDimensions) {
  const std::vector<std::string> zero = {"warning tensor-dimensions-nonzero tensor[w].dims"};
  const std::vector<std::string> elements = {"error tensor-elements-representable tensor[w].dims"};
  const std::vector<std::string> bytes = {"error tensor-bytes-representable tensor[w].dims"};
  const std::vector<std::string> outside = {"error tensor-data-in-file tensor[w].offset"};
  ExpectFindings({
      {"[0]", Shaped({0}), zero},
      {"[1, 0]", Shaped({1, 0}), zero},
      {"[2^12, 0, 2^12]", Shaped({Power(12), 0, Power(12)}), zero},
      {"[2^12, 0, 2^12 + 1]",
       Shaped({Power(12), 0, Power(12) + 1}),
       {"warning tensor-dimensions-nonzero tensor[w].dims",
        "error empty-tensor-dimensions-bounded tensor[w].dims"}},
      {"[0, 2^63-1, 2^63-1]",
       Shaped({0, Power(63) - 1, Power(63) - 1}),
       {"warning tensor-dimensions-nonzero tensor[w].dims",
        "error tensor-elements-representable tensor[w].dims"}},
      {"[2^63]", Shaped({Power(63)}), elements},
      {"[2^64-1]", Shaped({~uint64_t{0}}), elements},
      {"[2^32, 2^32]", Shaped({Power(32), Power(32)}), elements},
      {"[2^16]*4", Shaped({65536, 65536, 65536, 65536}), elements},
      {"wraps to 4", Shaped({4194305, 4194305, 211106198978564}), elements},
      {"wraps below zero", Shaped({Power(32), Power(31)}, kI8), elements},
      {"[2^64-1, 2^64-1]", Shaped({~uint64_t{0}, ~uint64_t{0}}), elements},
      {"F32 [4, 2^60+1]", Shaped({4, Power(60) + 1}), bytes},
      {"F32 [2^62]", Shaped({Power(62)}), bytes},
      {"F32 [2^62-1]", Shaped({Power(62) - 1}), bytes},
      {"F32 [4, 2^30-1, 2^30+1]", Shaped({4, Power(30) - 1, Power(30) + 1}), bytes},
      {"Q4_0 wraps before the division", Shaped({1024819115206086208}, kQ4_0), outside},
      {"Q4_0 [65536, 65536]", Shaped({65536, 65536}, kQ4_0), outside},
      {"I8 [2^63-3]", Shaped({Power(63) - 3}, kI8), outside},
      {"more elements than eight times the file", Shaped({Power(40)}, kI8), outside},
  });
}

TEST(TensorChecksTest, EveryQuantizedTypeCountedBeforeTheDivisionWraps) {
  // A row of whole blocks whose elements times block bytes exceed 2^64.
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (!type.quantized || type.removed != nullptr) continue;
    const uint64_t row =
        (~uint64_t{0} / type.block_bytes / type.block_elements + 1) * type.block_elements;
    EXPECT_THAT(Findings(Shaped({row}, type.id)),
                ElementsAre("error tensor-data-in-file tensor[w].offset"))
        << type.name;
  }
}

TEST(TensorChecksTest, EveryLivingTypeIsFineAndNoOther) {
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    const auto found = Findings(Shaped({256}, type.id));
    if (type.removed == nullptr) {
      EXPECT_THAT(found, IsEmpty()) << type.name;
    } else {
      EXPECT_THAT(found, ElementsAre("error tensor-type-not-removed tensor[w].type")) << type.name;
    }
  }
  for (const uint32_t type : {0x180000u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
    EXPECT_THAT(Findings(Shaped({256}, type)),
                ElementsAre("error tensor-type-known tensor[w].type"));
  }
  EXPECT_THAT(Findings(Shaped({256}, 40), "spec"),
              ElementsAre("warning tensor-type-in-spec tensor[w].type"));
}

TEST(TensorChecksTest, RowsAreWholeBlocksOfEveryType) {
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (type.block_elements == 1 || type.removed != nullptr) continue;
    const std::vector<std::string> expected = {"error tensor-row-whole-blocks tensor[w].dims"};
    ExpectFindings({
        {type.name, Shaped({type.block_elements - 1}, type.id), expected},
        {type.name, Shaped({type.block_elements / 2, 2}, type.id), expected},
        {type.name, Shaped({type.block_elements, 3}, type.id), {}},
    });
  }
}

TEST(TensorChecksTest, FaultsOfNames) {
  const std::string a64(64, 'a'), a65(65, 'a');
  ExpectFindings({
      {"63 bytes", Named(a64.substr(1)), {}},
      {"64 bytes", Named(a64), {"warning tensor-name-length-ggml tensor[" + a64 + "].name"}},
      {"65 bytes",
       Named(a65),
       {"warning tensor-name-length tensor[" + a65 + "].name",
        "warning tensor-name-length-ggml tensor[" + a65 + "].name"}},
      {"empty", Named(""), {"warning tensor-name-not-empty tensor[#0].name"}},
      {"NUL", Named("a\0b"s), {"error tensor-name-no-nul tensor[a\\x00b].name"}},
      {"not UTF-8", Named("a\xFF"), {"warning tensor-name-utf8 tensor[a\\xff].name"}},
      {"escape sequence", Named("\x1b[2J"), {"warning tensor-name-plain tensor[\\x1b[2J].name"}},
      {"reordering",
       Named("a\xE2\x80\xAE"
             "b"),
       {"warning tensor-name-plain tensor[a\\u{202e}b].name"}},
      {"path",
       Named("../../etc/passwd"),
       {"warning tensor-name-plain tensor[../../etc/passwd].name"}},
      {"dots that are no path", Named("a..b"), {}},
      {"twice",
       PlainFile().Tensor("w", {32}, kF32).Tensor("w", {32}, kF32).Build(),
       {"error tensor-name-unique tensor[w].name"}},
      {"the same up to NUL",
       PlainFile().Tensor("w", {32}, kF32).Tensor("w\0x"s, {32}, kF32).Build(),
       {"error tensor-name-no-nul tensor[w\\x00x].name"}},
  });
  EXPECT_THAT(Findings(Named(a65), "spec"),
              ElementsAre("error tensor-name-length tensor[" + a65 + "].name"));
  EXPECT_THAT(Findings(Named(a64), "llama.cpp"),
              ElementsAre("error tensor-name-length-ggml tensor[" + a64 + "].name"));
}

TEST(TensorChecksTest, ATableCutAnywhereFailsWithOneError) {
  const std::string whole = PlainFile().Tensor("v", {32}, kF32).Tensor("w", {32, 2}, kF32).Build();
  const size_t table_end =
      PlainFile().Build().size() + (8 + 1 + 4 + 8 + 12) + (8 + 1 + 4 + 16 + 12);
  for (size_t size = PlainFile().Build().size(); size < table_end; ++size) {
    const auto found = Findings(whole.substr(0, size));
    ASSERT_EQ(found.size(), 1u) << size;
    EXPECT_THAT(found[0], testing::AnyOf(testing::StartsWith("error file-complete"),
                                         testing::StartsWith("error header-counts-fit")))
        << size;
  }
}

TEST(TensorChecksTest, TheSecondNamesLengthIsCheckedToo) {
  GgufBuilder b = PlainFile();
  b.tensor_count = 2;
  const ByteWriter table =
      ByteWriter().String("v").U32(1).U64(32).U32(0).U64(0).U64(~uint64_t{0}).Zeros(64);
  EXPECT_THAT(Findings(b.Build() + table.bytes()),
              ElementsAre("error file-complete tensor[#1].name"));
}

TEST(TensorChecksTest, AHundredThousandTensorsAreFine) {
  GgufBuilder b = PlainFile();
  for (int i = 0; i < 100000; ++i) {
    b.Tensor("t" + std::to_string(i), {1}, kI8);
  }
  b.data_bytes = 32 * 100000;
  EXPECT_THAT(Findings(b.Build()), IsEmpty());
}

}  // namespace
}  // namespace gguf
