// The keys of one shard.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kSplit = {
    {"split-number-below-count", "split-tensors-counted", "split-count-plausible"}};

// Returns a shard with two tensors.
GgufBuilder Shard(uint16_t number, uint16_t count, int32_t tensors) {
  GgufBuilder b;
  b.Key("split.no", 2, ByteWriter().U16(number))
      .Key("split.count", 2, ByteWriter().U16(count))
      .Key("split.tensors.count", 5, ByteWriter().U32(static_cast<uint32_t>(tensors)))
      .Tensor("v", {32}, 0)
      .Tensor("w", {32}, 0);
  return b;
}

TEST(SplitChecksTest, NumberBelowCount) {
  EXPECT_THAT(kSplit.In(Shard(0, 3, 6)), IsEmpty());
  EXPECT_THAT(kSplit.In(Shard(2, 3, 6)), IsEmpty());
  EXPECT_THAT(
      kSplit.MessagesIn(Shard(3, 3, 6)),
      ElementsAre("kv[split.no].value is 3, which counts from 0 and makes this shard 4 of 3"));
  // A merged file may have kept its keys.
  EXPECT_THAT(kSplit.In(Shard(0, 0, 2)), IsEmpty());
  EXPECT_THAT(kSplit.In(Shard(2, 1, 0)), IsEmpty());
}

TEST(SplitChecksTest, TensorsCounted) {
  EXPECT_THAT(kSplit.In(Shard(0, 2, 2)), IsEmpty());
  EXPECT_THAT(
      kSplit.MessagesIn(Shard(0, 2, 1)),
      ElementsAre(
          "kv[split.tensors.count].value is 1 for all shards, but this shard has 2 tensors"));
  EXPECT_THAT(kSplit.In(Shard(0, 2, -1), "llama.cpp"),
              ElementsAre("error split-tensors-counted kv[split.tensors.count].value"));
}

TEST(SplitChecksTest, CountPlausible) {
  EXPECT_THAT(kSplit.In(Shard(0, 3, 2)), IsEmpty());
  EXPECT_THAT(kSplit.In(Shard(0, 4, 2)),
              ElementsAre("warning split-count-plausible kv[split.count].value"));
  EXPECT_THAT(kSplit.In(Shard(0, 65535, 1000)),
              ElementsAre("warning split-count-plausible kv[split.count].value"));
}

TEST(SplitChecksTest, OtherTypesAreLeftToTheirRule) {
  GgufBuilder b;
  b.String("split.no", "0").U32("split.count", 3);
  b.Key("split.tensors.count", 9, ByteWriter().U32(4).Length(1).U32(0));
  EXPECT_THAT(kSplit.In(b), IsEmpty());
}

}  // namespace
}  // namespace gguf
