// Tests that faults of general.alignment are reported, each by the rules that
// it violates.
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

constexpr char kKey[] = "general.alignment";

// Returns a file with this alignment, laid out accordingly if possible.
std::string Aligned(uint32_t alignment, bool with_tensor = true) {
  GgufBuilder b = PlainFile();
  b.U32(kKey, alignment);
  b.alignment = alignment == 0 || alignment > 4096 ? 32 : alignment;
  if (with_tensor) b.Tensor("v", {32}, 0).Tensor("w", {32}, 0);
  return b.Build();
}

std::string Typed(uint32_t type, const ByteWriter& value) {
  return PlainFile().Key(kKey, type, value).Tensor("w", {32}, 0).Build();
}

const char kZero[] = "error alignment-nonzero kv[general.alignment].value";
const char kType[] = "error alignment-type-u32 kv[general.alignment].type";
const char kEight[] = "warning alignment-multiple-of-8 kv[general.alignment].value";
const char kPower[] = "error alignment-power-of-two kv[general.alignment].value";
const char kHuge[] = "warning alignment-plausible kv[general.alignment].value";

TEST(AlignmentChecksTest, FaultsOfTheValue) {
  ExpectFindings({
      {"0", Aligned(0), {kZero}},
      {"0 without tensors", Aligned(0, false), {kZero}},
      {"1", Aligned(1), {kEight}},
      {"3", Aligned(3), {kEight, kPower}},
      {"8", Aligned(8), {}},
      {"24", Aligned(24), {kPower}},
      {"33", Aligned(33), {kEight, kPower}},
      {"64", Aligned(64), {}},
      {"4096", Aligned(4096), {}},
      {"2^20 without tensors", Aligned(1 << 20, false), {}},
      {"2^21 without tensors", Aligned(1 << 21, false), {kHuge}},
      {"2^30 without tensors", Aligned(1 << 30, false), {kHuge}},
      {"2^31 without tensors", Aligned(1u << 31, false), {kHuge}},
      {"2^31",
       Aligned(1u << 31),
       {kHuge, "error tensor-data-in-file tensor[v].offset",
        "error tensor-offset-aligned tensor[w].offset",
        "error tensor-data-in-file tensor[w].offset"}},
  });
}

TEST(AlignmentChecksTest, FaultsOfTheType) {
  ExpectFindings({
      {"i32", Typed(5, ByteWriter().U32(32)), {kType}},
      {"u64", Typed(10, ByteWriter().U64(32)), {kType}},
      {"string", Typed(8, ByteWriter().String("32")), {kType}},
      {"u32[1]", Typed(9, ByteWriter().U32(4).U64(1).U32(32)), {kType}},
      {"u32[0]", Typed(9, ByteWriter().U32(4).U64(0)), {kType}},
  });
}

TEST(AlignmentChecksTest, ALaterKeyCountsToo) {
  GgufBuilder b = PlainFile();
  b.U32("k.first", 1).U32(kKey, 4096);
  b.alignment = 4096;
  b.Tensor("v", {32}, 0).Tensor("w", {32}, 0);
  EXPECT_THAT(Findings(b.Build()), IsEmpty());
}

TEST(AlignmentChecksTest, TheSpecificationMindsEightAndLlamaCppPowersOfTwo) {
  EXPECT_THAT(Findings(Aligned(4), "spec"),
              ElementsAre("error alignment-multiple-of-8 kv[general.alignment].value"));
  EXPECT_THAT(Findings(Aligned(4), "llama.cpp"),
              ElementsAre("warning alignment-multiple-of-8 kv[general.alignment].value"));
  EXPECT_THAT(Findings(Aligned(24), "spec"),
              ElementsAre("warning alignment-power-of-two kv[general.alignment].value"));
}

}  // namespace
}  // namespace gguf
