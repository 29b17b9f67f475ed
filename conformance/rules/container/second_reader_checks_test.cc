// Tests of what a second reader makes of files that ggml refuses.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::Eq;
using testing::IsEmpty;
using testing::Not;

constexpr uint32_t kF32 = 0, kU64Type = 10, kArrayType = 9;
const FindingsOf kHarm = {{"second-reader-unharmed"}};

// What the reader takes for a key of one byte.
ByteWriter OneKey() {
  ByteWriter w;
  w.U64(0).U32(0).U8(0);
  return w;
}

// A file whose text the second reader reads from `bytes` on: as the third element of the array,
// then as the second key, then as tensors.  ggml refuses the file unless the tensor is at `offset`
// 0.
GgufBuilder Astray(const std::string& bytes, uint64_t offset = 64) {
  // The second element: the header of the text.
  constexpr uint64_t kHeader = 8 + 1 + 4 + 8;
  GgufBuilder b;
  b.Key("a", kArrayType, ByteWriter().U32(kU64Type).Length(3).U64(0).U64(4).U64(kHeader));
  b.String("t", std::string(5, '\0') + bytes);
  return b.Tensor("w", {32}, kF32, offset);
}

GgufBuilder Tensor(const ByteWriter& tensor) {
  return Astray(OneKey().Raw(OneKey().bytes()).Raw(tensor.bytes()).bytes());
}

std::vector<std::string> Taken(const std::string& what) {
  return {
      "kv[a].value leads the second reader of stable-diffusion.cpp astray, which then trusts the "
      "number " +
      what};
}

TEST(SecondReaderTest, NumbersThatItTrustsAreFound) {
  constexpr uint64_t kMiB = 1 << 20, kWhole = uint64_t{1} << 33;
  const auto tensor = [](uint64_t length) { return ByteWriter().U64(length); };
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(64 * kMiB))), IsEmpty());
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(64 * kMiB + 1))), Taken("67108865"));
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(0).U32(8 * kMiB))), Not(Eq(Taken("8388608"))));
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(0).U32(8 * kMiB + 1))), Taken("8388609"));
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(0).U32(2).U64(kWhole).U64(kWhole))),
              Taken("8589934592"));
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(0).U32(1).U64(32).U32(1000).U64(0))), Taken("1000"));
  EXPECT_THAT(kHarm.MessagesIn(Tensor(tensor(0).U32(1).U64(32).U32(kF32).U64(0))), IsEmpty());
}

TEST(SecondReaderTest, KeysThatItFollowsAreFound) {
  const auto text = [](uint64_t length) {
    return Astray(ByteWriter().U64(0).U32(8).U64(length).bytes());
  };
  EXPECT_THAT(kHarm.MessagesIn(text(~uint64_t{0} >> 1)), IsEmpty());
  EXPECT_THAT(kHarm.MessagesIn(text(uint64_t{1} << 63)), Taken("9223372036854775808"));
  const auto nested = [](int depth) {
    ByteWriter arrays;
    for (int i = 0; i < depth; ++i) arrays.U64(0).U32(kArrayType).U32(0).U64(1);
    return Astray(arrays.U64(5000).bytes());
  };
  EXPECT_THAT(kHarm.MessagesIn(nested(999)), IsEmpty());
  EXPECT_THAT(kHarm.MessagesIn(nested(1000)), Taken("1000"));
}

TEST(SecondReaderTest, AFileThatGgmlAcceptsIsNotReadTwice) {
  const std::string bytes = OneKey().Raw(OneKey().bytes()).U64(uint64_t{1} << 40).bytes();
  EXPECT_EQ(kHarm.MessagesIn(Astray(bytes)).size(), 1u);
  EXPECT_THAT(kHarm.MessagesIn(Astray(bytes, 0)), IsEmpty());
}

TEST(SecondReaderTest, ASoundFileOfAnotherEndianIsNotAtFault) {
  GgufBuilder big(3, /*big_endian=*/true);
  EXPECT_THAT(kHarm.MessagesIn(big.Tensor("w", {32}, kF32)), IsEmpty());
}

}  // namespace
}  // namespace gguf
