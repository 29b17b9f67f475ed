// Tests which causes are found, and which findings they explain.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/causes/causes.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/shard_sets.h"
#include "conformance/testing/tiny_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

FileReport Check(absl::string_view bytes, const char* profile = "upload",
                 absl::string_view name = "") {
  return Validate({AsBytes(bytes), name}, *Profile::Find(profile), {});
}

std::vector<std::string> Messages(const FileReport& report) {
  std::vector<std::string> messages;
  for (const Cause& cause : report.causes) messages.push_back(cause.message);
  return messages;
}

// Two tensors of 64 bytes, whose data begins at a multiple of 32.
std::string TwoTensors() { return PlainFile().Tensor("a", {16}, 0).Tensor("b", {16}, 0).Build(); }

TEST(TruncationTest, InTheData) {
  const std::string file = TwoTensors();
  EXPECT_THAT(Messages(Check(file)), IsEmpty());
  const auto cut = [&](size_t bytes) {
    return Messages(Check(absl::string_view(file).substr(0, file.size() - bytes)));
  };
  const std::string all = absl::StrCat(" of ", file.size(), " bytes; ");
  EXPECT_THAT(cut(1), ElementsAre(absl::StrCat(
                          "The file is truncated: ", file.size() - 1, all,
                          "the data of the last of 2 tensors, \"b\", is not complete.")));
  EXPECT_THAT(cut(65), ElementsAre(HasSubstr("the data of all 2 tensors is missing.")));
  EXPECT_THAT(cut(128), ElementsAre(HasSubstr(all)));
}

TEST(TruncationTest, ExplainsItsFindingsAndNoOthers) {
  GgufBuilder b = PlainFile();
  b.String("general.languages", "x").Tensor("a", {16}, 0).Tensor("b", {16}, 0);
  std::string file = b.Build();
  file.resize(file.size() - 65);
  const FileReport report = Check(file);
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_EQ(report.causes[0].findings, 2u);
  for (const Finding& finding : report.findings) {
    const bool is_of_data = finding.diagnostic.rule->id == absl::string_view("tensor-data-in-file");
    EXPECT_EQ(finding.cause, is_of_data ? "truncated" : "") << finding.diagnostic.message;
  }
}

TEST(TruncationTest, InTheTables) {
  const std::string file = TwoTensors();
  for (size_t size = 4; size < file.size() - 128; ++size) {
    const FileReport report = Check(absl::string_view(file).substr(0, size));
    ASSERT_EQ(report.causes.size(), 1u) << size;
    EXPECT_THAT(report.causes[0].message,
                StartsWith(absl::StrCat("The file is truncated: ", size < 64 ? "it ends" : "")))
        << size;
  }
  EXPECT_THAT(Messages(Check(absl::string_view(file).substr(0, 40))),
              ElementsAre(HasSubstr("after 40 bytes, in the metadata (kv[#0].")));
}

TEST(TruncationTest, AWrongOffsetIsNone) {
  GgufBuilder b = PlainFile();
  b.data_bytes = 128;
  EXPECT_THAT(Messages(Check(b.Tensor("a", {16}, 0).Tensor("b", {16}, 0, 4096).Build())),
              IsEmpty());
}

TEST(TruncationTest, AnImpossibleLengthIsNone) {
  GgufBuilder b = PlainFile();
  b.Key("k", 8, ByteWriter().U64(uint64_t{1} << 40));
  const FileReport report = Check(b.Build());
  EXPECT_FALSE(report.findings.empty());
  EXPECT_THAT(report.causes, IsEmpty());
}

TEST(TruncationTest, LargeSizesHaveUnits) {
  GgufBuilder b = PlainFile();
  b.data_bytes = 64;
  const FileReport report = Check(b.Tensor("a", {25'000'000}, 0).Build());
  EXPECT_THAT(Messages(report), ElementsAre(HasSubstr("0.00 of 100.00 MB")));
}

TEST(TruncationTest, TheNameOfAnUnfinishedFileExplains) {
  const std::string file = TwoTensors();
  const auto named = [&](absl::string_view bytes, absl::string_view name) {
    return Messages(Check(bytes, "upload", name));
  };
  EXPECT_THAT(named(absl::string_view(file).substr(0, file.size() - 65), "m.gguf.part"),
              ElementsAre(StartsWith("According to its name, the file is an unfinished download; "
                                     "resume it. The file is truncated: ")));
  EXPECT_THAT(
      named("\x57\xf6M\x82....", "m.gguf.part2of2"),
      ElementsAre("According to its name, the file is part 2 of 2 of a file; join the parts "
                  "in order."));
  EXPECT_THAT(named("\x57\xf6M\x82....", "m.gguf"), IsEmpty());
  EXPECT_THAT(named(file, "m.gguf.part"), IsEmpty());
}

TEST(NotAsPublishedTest, AServersAnswerAndZeros) {
  EXPECT_THAT(Messages(Check("Entry not found")),
              ElementsAre("The file is not the model: it is the error message of a server."));
  EXPECT_THAT(
      Messages(Check(std::string(64, '\0'))),
      ElementsAre(StartsWith("The file is not the model: it is a file that begins with zeros")));
}

TEST(NotAsPublishedTest, OneCauseIsEnough) {
  const std::string file = TwoTensors();
  // It begins again, and what it begins again is truncated.
  const std::string again = file.substr(0, 70) + file.substr(0, file.size() - 100);
  EXPECT_THAT(Messages(Check(again)), ElementsAre(StartsWith("The file begins again at 70:")));
}

TEST(CausesTest, DoNotDependOnTheProfile) {
  for (const size_t size : {size_t{40}, TwoTensors().size() - 65}) {
    const std::string file = TwoTensors().substr(0, size);
    const std::vector<std::string> found = Messages(Check(file));
    ASSERT_EQ(found.size(), 1u);
    for (const Profile& profile : Profile::BuiltIn()) {
      EXPECT_EQ(Messages(Check(file, profile.name().c_str())), found) << profile.name();
    }
    Profile none = *Profile::Find("upload");
    for (const Rule* rule : Catalogue()) none.Override(*rule, Severity::kOff);
    CheckOptions options;
    options.limits.findings_per_rule = 0;
    const FileReport report = Validate({AsBytes(file), ""}, none, options);
    EXPECT_EQ(Messages(report), found);
    EXPECT_EQ(report.causes[0].findings, 0u);
  }
}

TEST(CausesTest, FindingsThatAreNotKeptCount) {
  std::string file = TwoTensors();
  file.resize(file.size() - 65);
  CheckOptions options;
  options.limits.findings_per_rule = 1;
  const FileReport report = Validate({AsBytes(file), ""}, *Profile::Find("upload"), options);
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_EQ(report.causes[0].findings, 2u);
}

TEST(CausesTest, KindsNameRules) {
  for (const CauseKind& kind : CauseKinds()) {
    for (const char* id : kind.rules) {
      ASSERT_NE(FindRule(id), nullptr) << kind.id << ": " << id;
      EXPECT_EQ(FindRule(id)->id, absl::string_view(id));
    }
  }
}

// Returns the messages about the smallest llama with these keys.
std::vector<std::string> OfLlama(const TinyValues& values, const TinyValues& wrong) {
  TinyModel model = MakeTinyModel("llama", values);
  for (const auto& [key, value] : wrong) {
    model.RemoveKey(key);
    if (!value.empty()) model.AddKey(key, value);
  }
  return Messages(Check(model.Build()));
}

TEST(WrongHparamTest, OneValueExplainsTheShapes) {
  const TinyValues usual = {{"{arch}.embedding_length", "u32 64"},
                            {"{arch}.attention.head_count", "u32 4"},
                            {"{arch}.attention.head_count_kv", "u32 2"},
                            {"{arch}.feed_forward_length", "u32 96"},
                            {"{arch}.rope.dimension_count", "u32 16"}};
  EXPECT_THAT(OfLlama(usual, {}), IsEmpty());
  EXPECT_THAT(OfLlama(usual, {{"llama.attention.head_count_kv", "u32 4"}}),
              ElementsAre(AllOf(StartsWith("llama.attention.head_count_kv is 4, but the shapes of"),
                                HasSubstr("a model in which it is 2."))));
  EXPECT_THAT(OfLlama(usual, {{"llama.attention.head_count_kv", ""}}),
              ElementsAre(StartsWith(
                  "llama.attention.head_count_kv is missing and taken as 4, but the shapes of")));
  EXPECT_THAT(OfLlama(usual, {{"llama.embedding_length", "u32 128"}}),
              ElementsAre(HasSubstr("a model in which it is 64.")));
  EXPECT_THAT(OfLlama(usual, {{"llama.feed_forward_length", "u32 100"}}),
              ElementsAre(HasSubstr("a model in which it is 96.")));
  // The width of a head, which rope.dimension_count states, tells which of two it is.
  EXPECT_THAT(OfLlama(usual, {{"llama.attention.head_count", "u32 2"}}),
              ElementsAre(StartsWith("llama.attention.head_count is 2, but the shapes of")));
  EXPECT_THAT(
      OfLlama(usual, {{"llama.attention.head_count", "u32 2"}, {"llama.rope.dimension_count", ""}}),
      ElementsAre(HasSubstr(", or in which llama.attention.head_count is 4.")));
  // Of two, the one that changes less is named first.
  EXPECT_THAT(
      OfLlama(usual,
              {{"llama.attention.head_count_kv", "u32 4"}, {"llama.rope.dimension_count", ""}}),
      ElementsAre(AllOf(StartsWith("llama.attention.head_count_kv is 4, but the shapes of"),
                        HasSubstr("it is 2, or in which llama.attention.head_count is 8."))));
  // What else is wrong stays on its own.
  TinyModel model = MakeTinyModel("llama", usual);
  model.RemoveKey("llama.embedding_length");
  model.AddKey("llama.embedding_length", "u32 128");
  const FileReport report = Check(model.Build());
  for (const Finding& finding : report.findings) {
    const bool is_shape = finding.diagnostic.rule->id == absl::string_view("model-tensor-shapes");
    EXPECT_EQ(finding.cause, is_shape ? "hyperparameter" : "") << finding.diagnostic.rule->id;
  }
  // Two wrong values are not one.
  EXPECT_THAT(OfLlama(usual, {{"llama.feed_forward_length", "u32 100"},
                              {"llama.attention.head_count_kv", "u32 4"}}),
              IsEmpty());
}

TEST(SourceNamesTest, ThreeAndMost) {
  TinyModel model = MakeTinyModel("llama");
  model.tensors.resize(4);
  model.tensors[0].name = "model.embed_tokens.weight";
  model.tensors[1].name = "model.norm.weight";
  EXPECT_THAT(Messages(Check(model.Build())),
              testing::Not(testing::Contains(HasSubstr("names of the original"))));
  model.tensors[2].name = "lm_head.weight";
  EXPECT_THAT(
      Messages(Check(model.Build())),
      testing::Contains(StartsWith("3 of 4 tensors have the names of the original model, such as "
                                   "\"model.embed_tokens.weight\"")));
}

TEST(OtherVocabularyTest, ManyTokensMoreOrFewer) {
  const auto of_rows = [](uint64_t rows) {
    TinyModel model = MakeTinyModel("llama");
    for (const char* key : {"llama.vocab_size", "tokenizer.ggml.model", "tokenizer.ggml.tokens"}) {
      model.RemoveKey(key);
    }
    model.AddKey("tokenizer.ggml.model", 8, ByteWriter().String("rwkv"));
    model.AddKey("tokenizer.ggml.tokens", 9, ByteWriter().U32(8).Length(100).Zeros(800));
    model.Tensor("token_embd.weight").dims[1] = rows;
    return Messages(Check(model.Build()));
  };
  EXPECT_THAT(of_rows(99), IsEmpty());
  EXPECT_THAT(of_rows(100), IsEmpty());
  EXPECT_THAT(of_rows(108), IsEmpty());  // Padding.
  EXPECT_THAT(of_rows(109), ElementsAre("The vocabulary is that of another model: it has 100 "
                                        "tokens, but the embeddings have 109 rows."));
  EXPECT_THAT(of_rows(4), ElementsAre(HasSubstr("has 100 tokens, but the embeddings have 4 rows")));
}

TEST(ShardCausesTest, MissingAndMisnamed) {
  const auto reports = gguf::Check({{1, First().Build()}, {3, Third().Build()}});
  EXPECT_THAT(Messages(reports[0]),
              ElementsAre("Shard 2 of 3 is missing: \"m-00002-of-00003.gguf\"."));
  EXPECT_THAT(Messages(reports[1]), IsEmpty());
  const auto one = gguf::Check({{2, Second().Build()}});
  EXPECT_THAT(Messages(one[0]), ElementsAre("2 of 3 shards are missing, the first is "
                                            "\"m-00001-of-00003.gguf\"."));
  const auto swapped =
      gguf::Check({{1, First().Build()}, {2, Third().Build()}, {3, Second().Build()}});
  EXPECT_THAT(Messages(swapped[1]),
              ElementsAre("This is shard 3 of 3, named as shard 2; rename it to "
                          "\"m-00003-of-00003.gguf\"."));
  EXPECT_EQ(swapped[1].causes[0].findings, 1u);
}

}  // namespace
}  // namespace gguf
