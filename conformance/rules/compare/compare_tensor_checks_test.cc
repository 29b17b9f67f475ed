// Names and shapes of tensors against those of the base, and of a source.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "conformance/compare/origin.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/tensor_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CompareTensorChecksTest, TheSameTensorsPass) {
  EXPECT_THAT(Found(TwoBlocks(), TwoBlocks()), IsEmpty());
}

TEST(CompareTensorChecksTest, ALostBiasIsFound) {
  std::vector<NamedWeights> file = TwoBlocks();
  file.pop_back();
  EXPECT_THAT(
      Found(TwoBlocks(), file),
      ElementsAre("compare-tensors-present: tensor[blk.1.attn_q.bias] is missing, but the base "
                  "has it"));
  file = TwoBlocks();
  file[1].weights.assign(64, 0);
  EXPECT_THAT(
      Found(TwoBlocks(), file),
      ElementsAre(HasSubstr("compare-error-in-bound: tensor[blk.0.attn_q.bias].data is unlike the "
                            "base: the error is 1 times the root mean square of the base")));
}

TEST(CompareTensorChecksTest, AnotherShapeIsFound) {
  std::vector<NamedWeights> file = TwoBlocks();
  file[0].dims = {64, 256};
  EXPECT_THAT(Found(TwoBlocks(), file),
              ElementsAre("compare-shapes-equal: tensor[blk.0.attn_q.weight].dims are [64, 256], "
                          "but [256, 64] in the base"));
}

TEST(CompareTensorChecksTest, WithoutAnOriginTheRulesAreNotRequested) {
  Profile profile = *Profile::Find("spec");
  for (const Rule* rule : RulesAgainst(Against::kOrigin)) {
    profile.Override(*rule, Severity::kError);
  }
  const std::string bytes = FileOf(TwoBlocks());
  const FileReport report = Validate({AsBytes(bytes), "a.gguf"}, profile, {});
  size_t listed = 0;
  for (const FileReport::NotChecked& rule : report.not_checked) {
    if (!absl::StartsWith(rule.rule->id, "compare-")) continue;
    EXPECT_EQ(rule.meaning, Reason::kNotRequested) << rule.rule->id;
    ++listed;
  }
  EXPECT_EQ(listed, RulesAgainst(Against::kOrigin).size());
}

TEST(CompareTensorChecksTest, ASourceSaysWhatTensorsMustBe) {
  SourceModel source;
  source.architecture = "llama";
  for (const NamedWeights& tensor : TwoBlocks()) {
    source.tensors[tensor.name] = {tensor.dims, "of/" + tensor.name};
  }
  EXPECT_THAT(FindingsOf(Check(FileOf(TwoBlocks()), Origin(source))), IsEmpty());
  source.tensors["blk.0.attn_q.bias"].dims = {32};
  source.tensors["output.weight"] = {{256, 8}, "lm_head.weight"};
  source.tensors.erase("blk.1.attn_q.bias");
  EXPECT_THAT(FindingsOf(Check(FileOf(TwoBlocks()), Origin(source))),
              testing::UnorderedElementsAre(
                  "compare-tensors-present: tensor[output.weight] is missing, but the source "
                  "(lm_head.weight) has it",
                  "compare-tensors-known: tensor[blk.1.attn_q.bias] is not in the source",
                  "compare-shapes-equal: tensor[blk.0.attn_q.bias].dims are [64], but [32] in the "
                  "source (\"of/blk.0.attn_q.bias\")"));
  source.optional_tensors.insert("output.weight");
  source.why_no_tensors = "some are not known";
  EXPECT_THAT(FindingsOf(Check(FileOf(TwoBlocks()), Origin(source))),
              ElementsAre(HasSubstr("compare-shapes-equal")));
}

TEST(CompareTensorChecksTest, RowsFollowTheTokensOfTheFile) {
  SourceModel source;
  source.architecture = "gemma3";
  source.tensors["token_embd.weight"] = {{8, 4}, "embed_tokens.weight", true};
  const auto found = [&](uint64_t tokens, uint64_t rows) {
    GgufBuilder b;
    ByteWriter texts(3, false);
    texts.U32(8).U64(tokens);
    for (uint64_t i = 0; i < tokens; ++i) texts.String(absl::StrCat(i));
    b.String("general.architecture", "gemma3");
    b.Key("tokenizer.ggml.tokens", 9, texts);
    b.Tensor("token_embd.weight", {8, rows}, 0);
    return FindingsOf(Check(b.Build(), Origin(source)));
  };
  EXPECT_THAT(found(3, 3), IsEmpty());
  EXPECT_THAT(found(4, 4), IsEmpty());
  EXPECT_THAT(found(5, 4), IsEmpty());
  EXPECT_THAT(found(4, 3), ElementsAre(HasSubstr("are [8, 3], but [8, 4] in")));
  EXPECT_THAT(found(3, 4), ElementsAre(HasSubstr("are [8, 4], but [8, 3] in")));
}

TEST(CompareTensorChecksTest, FactorsOfRopeThatTheSourceLacksAreFound) {
  SourceModel source;
  source.architecture = "llama";
  const std::vector<NamedWeights> file = {Random("rope_freqs.weight", {8})};
  EXPECT_THAT(FindingsOf(Check(FileOf(file), Origin(source))),
              ElementsAre("compare-tensors-known: tensor[rope_freqs.weight] is not in the source"));
  source.tensors["rope_freqs.weight"] = {{8}, "config.json: rope_type"};
  EXPECT_THAT(FindingsOf(Check(FileOf(file), Origin(source))), IsEmpty());
}

}  // namespace
}  // namespace gguf
