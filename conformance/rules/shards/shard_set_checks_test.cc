// What is found in sets of shards.
//
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/testing/shard_sets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(ShardSetTest, MissingShardsAreNamedOnceInTheFirstThatIsThere) {
  EXPECT_THAT(Found({{1, First().Build()}, {3, Third().Build()}}),
              ElementsAre("1: file.shards are incomplete: shard 2 of 3 is missing, "
                          "\"m-00002-of-00003.gguf\""));
  EXPECT_THAT(Found({{2, Second().Build()}, {3, Third().Build()}}),
              ElementsAre("2: file.shards are incomplete: shard 1 of 3 is missing, "
                          "\"m-00001-of-00003.gguf\""));
  EXPECT_THAT(Found({{1, First().Build()}}),
              ElementsAre("1: file.shards are incomplete: shards 2 to 3 of 3 are missing, "
                          "\"m-00002-of-00003.gguf\" to \"m-00003-of-00003.gguf\""));
  EXPECT_THAT(Found({{2, Second().Build()}}),
              ElementsAre("2: file.shards are incomplete: shard 1 of 3 is missing, "
                          "\"m-00001-of-00003.gguf\"",
                          "2: file.shards are incomplete: shard 3 of 3 is missing, "
                          "\"m-00003-of-00003.gguf\""));
}

TEST(ShardSetTest, NamesMayPromiseAnyNumberOfShards) {
  GgufBuilder b = ModelKeys();
  AddSplitKeys(&b, 0, 65535, 65534);
  EXPECT_THAT(Found({{1, b.Build()}}, 65535),
              ElementsAre("1: file.shards are incomplete: shards 2 to 65535 of 65535 are missing, "
                          "\"m-00002-of-65535.gguf\" to \"m-65535-of-65535.gguf\""));
}

TEST(ShardSetTest, NumbersAreThoseOfTheNames) {
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, Third().Build()}, {3, Second().Build()}}),
      ElementsAre("2: kv[split.no].value is 2, so this is shard 3, but the file is named as "
                  "shard 2; rename it to \"m-00003-of-00003.gguf\"",
                  "3: kv[split.no].value is 1, so this is shard 2, but the file is named as "
                  "shard 3; rename it to \"m-00002-of-00003.gguf\""));
  GgufBuilder text;
  text.String("split.no", "2");
  text.Key("split.count", kU16, ByteWriter().U16(3));
  EXPECT_THAT(Found({{1, First().Build()}, {2, Second().Build()}, {3, text.Build()}}),
              testing::Contains("3: kv[split.no].value is not an integer, but the file is named as "
                                "shard 3, which is 2 when counted from 0"));
}

TEST(ShardSetTest, ANumberThatNoShardHasIsInTheSet) {
  EXPECT_THAT(
      Found({{0, Second().Build()},
             {1, First().Build()},
             {2, Second().Build()},
             {3, Third().Build()},
             {4, Third().Build()}}),
      testing::IsSupersetOf(
          {"0: kv[split.no].value is 1, so this is shard 2, but the file is named as shard 0; "
           "rename it to \"m-00002-of-00003.gguf\"",
           "4: kv[split.no].value is 2, so this is shard 3, but the file is named as shard 4; "
           "rename it to \"m-00003-of-00003.gguf\""}));
  EXPECT_THAT(Found({{1, First().Build()}, {4, Third().Build()}}),
              testing::Contains("1: file.shards are incomplete: shards 2 to 3 of 3 are missing, "
                                "\"m-00002-of-00003.gguf\" to \"m-00003-of-00003.gguf\""));
}

TEST(ShardSetTest, CountsAgreeWithTheNamesAndWithEachOther) {
  GgufBuilder first = ModelKeys(), second;
  AddSplitKeys(&first, 0, 4, 1);
  AddSplitKeys(&second, 1, 2, 2);
  first.Tensor("token_embd.weight", {8, 4}, kF32);
  EXPECT_THAT(
      Found({{1, first.Build()}, {2, second.Build()}}, 2),
      testing::IsSupersetOf({"1: kv[split.count].value is 4, but the file is named as one of 2 "
                             "shards",
                             "2: kv[split.count].value is 2, but the first shard has 4",
                             "2: kv[split.tensors.count].value is 2, but the first shard has 1"}));
}

TEST(ShardSetTest, TensorsOfAllShardsAreCounted) {
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, SecondWithoutEmbedding().Build()}, {3, Third().Build()}}),
      ElementsAre("1: kv[general.architecture] is \"llama\", but the required tensor "
                  "\"token_embd.weight\" is missing",
                  "1: kv[split.tensors.count].value is 11, but the shards have 10 tensors"));
}

TEST(ShardSetTest, ATensorIsInOneShardOnly) {
  GgufBuilder third = Third();
  third.Tensor("token_embd.weight", {8, 4}, kF32)
      .Tensor("token_embd.weight", {8, 4}, kF32)
      .Tensor("blk.0.ffn_up.weight", {8, 8}, kF32);
  EXPECT_THAT(Found({{1, First().Build()}, {2, Second().Build()}, {3, third.Build()}}),
              testing::IsSupersetOf({"3: tensor[token_embd.weight].name is also the name of a "
                                     "tensor in \"m-00002-of-00003.gguf\""}));
  // tensor-name-unique reports duplicates within the third shard.
  const FileReport report =
      Check({{1, First().Build()}, {2, Second().Build()}, {3, third.Build()}})[2];
  int twice = 0;
  for (const Finding& finding : report.findings) {
    const absl::string_view id = finding.diagnostic.rule->id;
    twice += id == "shard-set-tensor-names-unique";
  }
  EXPECT_EQ(twice, 2);
}

TEST(ShardSetTest, TheFirstNeedsNoTensorsButTheKeysForThose) {
  GgufBuilder first, second;
  first.String("general.architecture", "llama");
  AddSplitKeys(&first, 0, 2, 1);
  AddSplitKeys(&second, 1, 2, 1);
  second.Tensor("blk.0.attn_q.weight", {32, 8}, kQ8_0);
  EXPECT_THAT(
      Found({{1, first.Build()}, {2, second.Build()}}, 2),
      testing::Contains(
          "1: kv[general.architecture].value is that of a file with quantized tensors, such "
          "as \"blk.0.attn_q.weight\" (Q8_0), but general.quantization_version is missing; "
          "write 2"));
}

TEST(ShardSetTest, KeysAreInTheFirst) {
  GgufBuilder second = Second();
  second.String("general.architecture", "llama")
      .U32("general.alignment", 32)
      .U32("llama.block_count", 1)
      .String("general.name", "x");
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, second.Build()}, {3, Third().Build()}}),
      ElementsAre(
          "2: kv[llama.block_count].key is the first of 2 keys that belong in the first shard"));
}

TEST(ShardSetTest, TheArchitectureIsThatOfTheFirst) {
  GgufBuilder second = Second();
  second.String("general.architecture", "gpt2");
  EXPECT_THAT(Found({{1, First().Build()}, {2, second.Build()}, {3, Third().Build()}}),
              ElementsAre("2: kv[general.architecture].value is \"gpt2\", but "
                          "\"m-00001-of-00003.gguf\" has \"llama\""));
  EXPECT_THAT(NotChecked({{2, second.Build()}}, "the keys of the first shard are not available"),
              ElementsAre("2: shard-set-architecture"));
}

TEST(ShardSetTest, ByteOrderIsThatOfTheFirst) {
  GgufBuilder big(3, true);
  EXPECT_THAT(Found({{1, First().Build()}, {2, big.Build()}}),
              testing::Contains("2: header.version shows that the shard is big endian, but "
                                "\"m-00001-of-00003.gguf\" is little endian"));
}

}  // namespace
}  // namespace gguf
