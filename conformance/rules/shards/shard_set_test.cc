// Whole, partial and damaged sets of shards: what is judged, and in whose
// report.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "conformance/testing/shard_sets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ShardSetTest, ACompleteSetIsJudgedAsOneModel) {
  const std::vector<Shard> shards = {
      {1, First().Build()}, {2, Second().Build()}, {3, Third().Build()}};
  for (const FileReport& report : Check(shards)) {
    EXPECT_THAT(report.findings, IsEmpty());
    for (const auto& rule : report.not_checked) {
      EXPECT_EQ(rule.meaning, Reason::kNotRequested) << rule.rule->id;
    }
  }
  const FileReport second = Check(shards)[1];
  ASSERT_TRUE(second.shard);
  EXPECT_EQ(second.shard->number, 2u);
  EXPECT_EQ(second.shard->count, 3u);
}

TEST(ShardSetTest, ReportsAreInTheOrderOfTheFiles) {
  const std::vector<Shard> shards = {
      {3, Third().Build()}, {1, First().Build()}, {2, Second().Build()}};
  const auto reports = Check(shards);
  EXPECT_EQ(reports[0].tensors, 2u);
  EXPECT_EQ(reports[1].tensors, 5u);
  EXPECT_EQ(reports[2].tensors, 4u);
  EXPECT_THAT(Found(shards), IsEmpty());
}

TEST(ShardSetTest, ASetWithAHoleIsNotJudgedAsAModel) {
  const std::vector<Shard> shards = {{1, First().Build()}, {3, Third().Build()}};
  EXPECT_THAT(
      NotChecked(shards, "a shard is missing"),
      ElementsAre(
          "1: graph-tensors-present", "1: shard-set-tensors-counted", "1: model-tensors-present",
          "1: model-blocks-present", "1: model-blocks-named", "1: model-block-in-count",
          "1: model-tensors-known", "1: model-tensor-names-current", "1: model-tensor-shapes",
          "1: vocabulary-fits-embedding", "1: attention-has-projections", "1: model-norms-f32",
          "1: model-weights-computable", "1: model-matrices-not-empty", "1: model-rope-factors-f32",
          "1: nvfp4-scales-present", "1: usual-keys-present", "1: usual-tensors-present",
          "1: pooling-type-present"));
  const std::vector<Shard> unread = {
      {1, First().Build()}, {2, "", "cannot open: no"}, {3, Third().Build()}};
  EXPECT_THAT(Found(unread), IsEmpty());
  EXPECT_EQ(Check(unread)[1].incomplete, "cannot open: no");
  EXPECT_EQ(NotChecked(unread, "a shard could not be opened").size(), 19u);
  const std::vector<Shard> cut = {
      {1, First().Build()}, {2, Second().Build().substr(0, 200)}, {3, Third().Build()}};
  EXPECT_EQ(NotChecked(cut, "not all tensors of all shards could be read").size(), 19u);
}

TEST(ShardSetTest, FilesThatSayNothingOfShardsAreAlone) {
  GgufBuilder whole = ModelKeys();
  whole.Tensor("token_embd.weight", {8, 4}, kF32);
  const auto reports = Check({{1, whole.Build()}, {2, whole.Build()}}, 9);
  for (const FileReport& report : reports) {
    EXPECT_FALSE(report.shard);
    for (const Finding& finding : report.findings) {
      EXPECT_FALSE(absl::StartsWith(finding.diagnostic.rule->id, "shard-set"));
    }
  }
  // If one does, the other should as well.
  EXPECT_THAT(Found({{1, First().Build()}, {2, GgufBuilder().Build()}}, 2),
              testing::Contains("2: kv[split.no] is missing, but the file is named as shard 2, "
                                "which is 1 when counted from 0"));
}

TEST(ShardSetTest, ATensorIsReportedInTheShardThatHasIt) {
  GgufBuilder second = SecondWithoutEmbedding();
  second.Tensor("token_embd.weight", {8, 5}, kF32);
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, second.Build()}, {3, Third().Build()}}),
      ElementsAre(
          "2: tensor[token_embd.weight].dims make 5 rows, but the vocabulary has 4 tokens"));
  GgufBuilder third;
  AddSplitKeys(&third, 2);
  third.Tensor("blk.0.ffn_down.weight", {8, 4}, kF32).Tensor("blk.1.ffn_up.weight", {8, 8}, kF32);
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, Second().Build()}, {3, third.Build()}}),
      testing::IsSupersetOf(
          {"3: tensor[blk.0.ffn_down.weight].dims are [8, 4], not [8, 8], which follows from "
           "llama.embedding_length (8)",
           "3: tensor[blk.1.ffn_up.weight] is of \"blk.1\", but the number of blocks is 1"}));
}

TEST(ShardSetTest, AloneTheOthersAreNotKnown) {
  const std::string bytes = First().Build();
  for (const char* name : {"", "m-00001-of-00003.gguf"}) {
    const FileReport report = Validate({AsBytes(bytes), name}, *Profile::Find("upload"), {});
    EXPECT_FALSE(report.shard);
    int alone = 0;
    for (const FileReport::NotChecked& rule : report.not_checked) {
      alone += rule.why.view() == "a single shard was given; the other shards were not looked for";
    }
    EXPECT_EQ(alone, 9);
  }
}

TEST(ShardSetTest, ASetCutAnywhereIsCheckedToItsEnd) {
  const std::string whole[] = {First().Build(), Second().Build(), Third().Build()};
  for (int cut = 0; cut < 3; ++cut) {
    for (size_t size = 0; size < whole[cut].size(); size += 7) {
      std::vector<Shard> shards = {{1, whole[0]}, {2, whole[1]}, {3, whole[2]}};
      shards[cut].bytes.resize(size);
      const auto reports = Check(shards);
      EXPECT_GT(reports[cut].counts.error, 0u) << cut << " cut to " << size;
      Found(shards);  // Each range lies in its file.
    }
  }
}

}  // namespace
}  // namespace gguf
