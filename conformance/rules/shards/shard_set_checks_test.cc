// Sets of shards: what is found, and in whose report.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/model/shard_name.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kU16 = 2, kI32 = 5, kF32 = 0, kQ8_0 = 8;

// A file and the number in its name.
struct Shard {
  uint32_t number;
  std::string bytes;
  std::string why_unread = "";
};

std::vector<FileReport> Check(const std::vector<Shard>& shards,
                              uint32_t count = 3,
                              absl::string_view profile = "upload") {
  std::vector<std::string> names;
  for (const Shard& shard : shards) {
    names.push_back("m" + ShardSuffix(shard.number, count));
  }
  std::vector<ShardFile> files;
  for (size_t i = 0; i < shards.size(); ++i) {
    files.push_back(
        {{AsBytes(shards[i].bytes), names[i]}, shards[i].why_unread});
  }
  return ValidateSet(files, *Profile::Find(profile), {});
}

// Returns findings such as "2: kv[split.no].value is 2, but ...", with the
// number of the shard in whose report they are.
std::vector<std::string> Found(const std::vector<Shard>& shards,
                               uint32_t count = 3) {
  std::vector<std::string> lines;
  const auto reports = Check(shards, count);
  for (size_t i = 0; i < reports.size(); ++i) {
    for (const Finding& finding : reports[i].findings) {
      const Diagnostic& found = finding.diagnostic;
      EXPECT_LE(found.where.end, shards[i].bytes.size());
      lines.push_back(absl::StrCat(shards[i].number, ": ", found.subject, " ",
                                   found.message));
    }
  }
  return lines;
}

// Returns "shard: rule" for rules that were not checked, without those not
// requested.
std::vector<std::string> NotChecked(const std::vector<Shard>& shards,
                                    absl::string_view why) {
  std::vector<std::string> lines;
  const auto reports = Check(shards);
  for (size_t i = 0; i < reports.size(); ++i) {
    for (const auto& rule : reports[i].not_checked) {
      if (rule.why != why) continue;
      lines.push_back(absl::StrCat(shards[i].number, ": ", rule.rule->id));
    }
  }
  return lines;
}

void AddSplitKeys(GgufBuilder* b, uint16_t number, uint16_t count = 3,
                  uint32_t tensors = 11) {
  b->Key("split.no", kU16, ByteWriter().U16(number))
      .Key("split.count", kU16, ByteWriter().U16(count))
      .Key("split.tensors.count", kI32, ByteWriter().U32(tensors));
}

GgufBuilder ModelKeys() {
  GgufBuilder b;
  b.String("general.architecture", "llama")
      .U32("llama.context_length", 16)
      .U32("llama.embedding_length", 8)
      .U32("llama.block_count", 1)
      .U32("llama.feed_forward_length", 8)
      .U32("llama.rope.dimension_count", 4)
      .U32("llama.attention.head_count", 2)
      .Key("llama.attention.layer_norm_rms_epsilon", 6,
           ByteWriter().U32(0x3727c5ac))
      .U32("llama.vocab_size", 4)
      .String("tokenizer.ggml.model", "none");
  return b;
}

// A model of eleven tensors: five, four, two.
GgufBuilder First() {
  GgufBuilder b = ModelKeys();
  AddSplitKeys(&b, 0);
  b.Tensor("output_norm.weight", {8}, kF32)
      .Tensor("blk.0.attn_norm.weight", {8}, kF32)
      .Tensor("blk.0.attn_q.weight", {8, 8}, kF32)
      .Tensor("blk.0.attn_k.weight", {8, 8}, kF32)
      .Tensor("blk.0.attn_v.weight", {8, 8}, kF32);
  return b;
}

GgufBuilder SecondWithoutEmbedding() {
  GgufBuilder b;
  AddSplitKeys(&b, 1);
  b.Tensor("blk.0.attn_output.weight", {8, 8}, kF32)
      .Tensor("blk.0.ffn_norm.weight", {8}, kF32)
      .Tensor("blk.0.ffn_gate.weight", {8, 8}, kF32);
  return b;
}

GgufBuilder Second() {
  GgufBuilder b = SecondWithoutEmbedding();
  b.Tensor("token_embd.weight", {8, 4}, kF32);
  return b;
}

GgufBuilder Third() {
  GgufBuilder b;
  AddSplitKeys(&b, 2);
  b.Tensor("blk.0.ffn_down.weight", {8, 8}, kF32)
      .Tensor("blk.0.ffn_up.weight", {8, 8}, kF32);
  return b;
}

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

TEST(ShardSetTest, MissingShardsAreNamedOnceInTheFirstThatIsThere) {
  EXPECT_THAT(Found({{1, First().Build()}, {3, Third().Build()}}),
              ElementsAre("1: file.shards lack \"m-00002-of-00003.gguf\""));
  EXPECT_THAT(Found({{2, Second().Build()}, {3, Third().Build()}}),
              ElementsAre("2: file.shards lack \"m-00001-of-00003.gguf\""));
  EXPECT_THAT(Found({{1, First().Build()}}),
              ElementsAre("1: file.shards lack 2, from "
                          "\"m-00002-of-00003.gguf\" to "
                          "\"m-00003-of-00003.gguf\""));
  EXPECT_THAT(Found({{2, Second().Build()}}),
              ElementsAre("2: file.shards lack \"m-00001-of-00003.gguf\"",
                          "2: file.shards lack \"m-00003-of-00003.gguf\""));
}

TEST(ShardSetTest, NamesMayPromiseAnyNumberOfShards) {
  GgufBuilder b = ModelKeys();
  AddSplitKeys(&b, 0, 65535, 65534);
  EXPECT_THAT(Found({{1, b.Build()}}, 65535),
              ElementsAre("1: file.shards lack 65534, from "
                          "\"m-00002-of-65535.gguf\" to "
                          "\"m-65535-of-65535.gguf\""));
}

TEST(ShardSetTest, ASetWithAHoleIsNotJudgedAsAModel) {
  const std::vector<Shard> shards = {{1, First().Build()},
                                     {3, Third().Build()}};
  EXPECT_THAT(
      NotChecked(shards, "a shard is missing"),
      ElementsAre("1: shard-set-tensors-counted", "1: model-tensors-present",
                  "1: model-blocks-present", "1: model-blocks-named",
                  "1: model-block-in-count", "1: model-tensors-known",
                  "1: model-tensor-names-current", "1: model-tensor-shapes",
                  "1: vocabulary-fits-embedding",
                  "1: attention-has-projections", "1: model-norms-f32",
                  "1: model-rope-factors-f32"));
  const std::vector<Shard> unread = {
      {1, First().Build()}, {2, "", "cannot open: no"}, {3, Third().Build()}};
  EXPECT_THAT(Found(unread), IsEmpty());
  EXPECT_EQ(Check(unread)[1].incomplete, "cannot open: no");
  EXPECT_EQ(NotChecked(unread, "a shard could not be opened").size(), 12u);
  const std::vector<Shard> cut = {{1, First().Build()},
                                  {2, Second().Build().substr(0, 200)},
                                  {3, Third().Build()}};
  EXPECT_EQ(
      NotChecked(cut, "not all tensors of all shards could be read").size(),
      12u);
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
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, GgufBuilder().Build()}}, 2),
      testing::Contains("2: header.metadata_kv_count counts 0 keys, but "
                        "split.no is missing and the file name requires 1"));
}

TEST(ShardSetTest, NumbersAreThoseOfTheNames) {
  EXPECT_THAT(
      Found(
          {{1, First().Build()}, {2, Third().Build()}, {3, Second().Build()}}),
      ElementsAre("2: kv[split.no].value is 2, but the file name requires 1",
                  "3: kv[split.no].value is 1, but the file name requires 2"));
  GgufBuilder text;
  text.String("split.no", "2");
  text.Key("split.count", kU16, ByteWriter().U16(3));
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, Second().Build()}, {3, text.Build()}}),
      testing::Contains("3: kv[split.no].value is not an integer, but the file "
                        "name requires 2"));
}

TEST(ShardSetTest, ANumberThatNoShardHasIsInTheSet) {
  EXPECT_THAT(
      Found({{0, Second().Build()},
             {1, First().Build()},
             {2, Second().Build()},
             {3, Third().Build()},
             {4, Third().Build()}}),
      testing::IsSupersetOf(
          {"0: kv[split.no].value is 1, but the number in the file name is 0, "
           "and the first is 1",
           "4: kv[split.no].value is 2, but the file name requires 3"}));
  EXPECT_THAT(Found({{1, First().Build()}, {4, Third().Build()}}),
              testing::Contains("1: file.shards lack 2, from "
                                "\"m-00002-of-00003.gguf\" to "
                                "\"m-00003-of-00003.gguf\""));
}

TEST(ShardSetTest, CountsAgreeWithTheNamesAndWithEachOther) {
  GgufBuilder first = ModelKeys(), second;
  AddSplitKeys(&first, 0, 4, 1);
  AddSplitKeys(&second, 1, 2, 2);
  first.Tensor("token_embd.weight", {8, 4}, kF32);
  EXPECT_THAT(
      Found({{1, first.Build()}, {2, second.Build()}}, 2),
      testing::IsSupersetOf(
          {"1: kv[split.count].value is 4, but the file name requires 2",
           "2: kv[split.count].value is 2, but the first shard has 4",
           "2: kv[split.tensors.count].value is 2, but the first shard has "
           "1"}));
}

TEST(ShardSetTest, TensorsOfAllShardsAreCounted) {
  EXPECT_THAT(
      Found({{1, First().Build()},
             {2, SecondWithoutEmbedding().Build()},
             {3, Third().Build()}}),
      ElementsAre("1: kv[general.architecture] is \"llama\", but the required "
                  "tensor \"token_embd.weight\" is missing",
                  "1: kv[split.tensors.count].value is 11, but the shards have "
                  "10 tensors"));
}

TEST(ShardSetTest, ATensorIsInOneShardOnly) {
  GgufBuilder third = Third();
  third.Tensor("token_embd.weight", {8, 4}, kF32)
      .Tensor("token_embd.weight", {8, 4}, kF32)
      .Tensor("blk.0.ffn_up.weight", {8, 8}, kF32);
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, Second().Build()}, {3, third.Build()}}),
      testing::IsSupersetOf({"3: tensor[token_embd.weight].name is also the "
                             "name of a tensor in \"m-00002-of-00003.gguf\""}));
  // tensor-name-unique reports duplicates within the third shard.
  const FileReport report = Check(
      {{1, First().Build()}, {2, Second().Build()}, {3, third.Build()}})[2];
  int twice = 0;
  for (const Finding& finding : report.findings) {
    const absl::string_view id = finding.diagnostic.rule->id;
    twice += id == "shard-set-tensor-names-unique";
  }
  EXPECT_EQ(twice, 2);
}

TEST(ShardSetTest, ATensorIsReportedInTheShardThatHasIt) {
  GgufBuilder second = SecondWithoutEmbedding();
  second.Tensor("token_embd.weight", {8, 5}, kF32);
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, second.Build()}, {3, Third().Build()}}),
      ElementsAre("2: tensor[token_embd.weight].dims make 5 rows, but "
                  "the vocabulary has 4 tokens"));
  GgufBuilder third;
  AddSplitKeys(&third, 2);
  third.Tensor("blk.0.ffn_down.weight", {8, 4}, kF32)
      .Tensor("blk.1.ffn_up.weight", {8, 8}, kF32);
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, Second().Build()}, {3, third.Build()}}),
      testing::IsSupersetOf(
          {"3: tensor[blk.0.ffn_down.weight].dims are [8, 4], but [n_ff, "
           "n_embd] is [8, 8]",
           "3: tensor[blk.1.ffn_up.weight] is of \"blk.1\", but the number of "
           "blocks is 1"}));
}

TEST(ShardSetTest, TheFirstNeedsNoTensorsButTheKeysForThose) {
  GgufBuilder first, second;
  first.String("general.architecture", "llama");
  AddSplitKeys(&first, 0, 2, 1);
  AddSplitKeys(&second, 1, 2, 1);
  second.Tensor("blk.0.attn_q.weight", {32, 8}, kQ8_0);
  EXPECT_THAT(Found({{1, first.Build()}, {2, second.Build()}}, 2),
              testing::Contains("1: kv[general.architecture].value missing key "
                                "general.quantization_version, but tensor "
                                "\"blk.0.attn_q.weight\" is Q8_0"));
}

TEST(ShardSetTest, KeysAreInTheFirst) {
  GgufBuilder second = Second();
  second.String("general.architecture", "llama")
      .U32("general.alignment", 32)
      .U32("llama.block_count", 1)
      .String("general.name", "x");
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, second.Build()}, {3, Third().Build()}}),
      ElementsAre("2: kv[llama.block_count].key is the first of 2 keys that "
                  "belong in the first shard"));
}

TEST(ShardSetTest, TheArchitectureIsThatOfTheFirst) {
  GgufBuilder second = Second();
  second.String("general.architecture", "gpt2");
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, second.Build()}, {3, Third().Build()}}),
      ElementsAre("2: kv[general.architecture].value is \"gpt2\", but "
                  "\"m-00001-of-00003.gguf\" has \"llama\""));
  EXPECT_THAT(NotChecked({{2, second.Build()}},
                         "the keys of the first shard are not available"),
              ElementsAre("2: shard-set-architecture"));
}

TEST(ShardSetTest, ByteOrderIsThatOfTheFirst) {
  GgufBuilder big(3, true);
  EXPECT_THAT(
      Found({{1, First().Build()}, {2, big.Build()}}),
      testing::Contains("2: header.version shows that the shard is big endian, "
                        "but \"m-00001-of-00003.gguf\" is little endian"));
}

TEST(ShardSetTest, AloneTheOthersAreNotKnown) {
  const std::string bytes = First().Build();
  for (const char* name : {"", "m-00001-of-00003.gguf"}) {
    const FileReport report =
        Validate({AsBytes(bytes), name}, *Profile::Find("upload"), {});
    EXPECT_FALSE(report.shard);
    int alone = 0;
    for (const FileReport::NotChecked& rule : report.not_checked) {
      alone += rule.why ==
               "a single shard was given; the other shards were not looked for";
    }
    EXPECT_EQ(alone, 9);
  }
}

TEST(ShardSetTest, ASetCutAnywhereIsCheckedToItsEnd) {
  const std::string whole[] = {First().Build(), Second().Build(),
                               Third().Build()};
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
