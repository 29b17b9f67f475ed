// Draft models against their targets.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/base_model.h"
#include "conformance/model/model.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "subject message" of the findings about a draft model.
std::vector<std::string> Against(const GgufBuilder& target, const GgufBuilder& draft) {
  const std::string target_bytes = target.Build();
  Diagnostics unused(1);
  const Model parsed(Parse(AsBytes(target_bytes), {}, &unused));
  const BaseModel base(parsed);
  Expected expected;
  expected.base = &base;
  const std::string bytes = draft.Build();
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find("upload"), {}, expected);
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    if (!absl::StartsWith(diagnostic.rule->id, "draft-")) continue;
    lines.push_back(absl::StrCat(diagnostic.subject, " ", diagnostic.message));
  }
  return lines;
}

GgufBuilder Tokens(const char* model, std::vector<std::string> tokens) {
  GgufBuilder b = VocabularyFile(model, tokens);
  b.Tensor("token_embd.weight", {8, tokens.size()}, 0);
  return b;
}

std::vector<std::string> Count(size_t count) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < count; ++i) tokens.push_back(absl::StrCat("t", i));
  return tokens;
}

TEST(DraftChecksTest, VocabulariesAgree) {
  const GgufBuilder target = Tokens("llama", Count(200));
  EXPECT_THAT(Against(target, Tokens("llama", Count(200))), IsEmpty());
  EXPECT_THAT(Against(target, Tokens("llama", Count(72))), IsEmpty());
  EXPECT_THAT(Against(target, Tokens("llama", Count(328))), IsEmpty());
  std::vector<std::string> first_four = Count(200);
  first_four[4] = "x";
  EXPECT_THAT(Against(target, Tokens("llama", first_four)), IsEmpty());
}

TEST(DraftChecksTest, VocabulariesDiffer) {
  const GgufBuilder target = Tokens("llama", Count(200));
  EXPECT_THAT(Against(target, Tokens("llama", Count(71))),
              ElementsAre("kv[tokenizer.ggml.tokens].value has 71 tokens, but the base has 200"));
  std::vector<std::string> fifth = Count(200);
  fifth[5] = "x";
  EXPECT_THAT(Against(target, Tokens("llama", fifth)),
              ElementsAre("kv[tokenizer.ggml.tokens].value[5] is \"x\", but the base has \"t5\""));
  EXPECT_THAT(
      Against(target, Tokens("gpt2", Count(200))),
      ElementsAre("kv[tokenizer.ggml.model].value is \"gpt2\", but the base has \"llama\""));
}

TEST(DraftChecksTest, SpecialTokensCountWhereTheyAreAdded) {
  const auto with_bos = [](bool add, uint32_t bos) {
    GgufBuilder b = Tokens("llama", Count(9));
    AddBool("add_bos_token", add, &b);
    b.U32("tokenizer.ggml.bos_token_id", bos);
    return b;
  };
  EXPECT_THAT(Against(with_bos(true, 1), with_bos(true, 1)), IsEmpty());
  EXPECT_THAT(Against(with_bos(false, 1), with_bos(false, 2)), IsEmpty());
  EXPECT_THAT(Against(with_bos(true, 1), with_bos(true, 2)),
              ElementsAre("kv[tokenizer.ggml.bos_token_id].value is 2, but the base has 1"));
  EXPECT_THAT(Against(with_bos(true, 1), with_bos(false, 1)),
              ElementsAre("kv[tokenizer.ggml.add_bos_token].value is 0, but the base has 1"));
}

TEST(DraftChecksTest, WidthOfTarget) {
  GgufBuilder target;
  target.String("general.architecture", "gemma4")
      .U32("gemma4.embedding_length", 8)
      .Tensor("token_embd.weight", {8, 9}, 0);
  const auto draft = [](uint32_t width) {
    GgufBuilder b;
    b.String("general.architecture", "gemma4-assistant")
        .U32("gemma4-assistant.embedding_length_out", width)
        .Tensor("token_embd.weight", {4, 9}, 0);
    return b;
  };
  EXPECT_THAT(Against(target, draft(8)), IsEmpty());
  EXPECT_THAT(Against(target, draft(12)),
              ElementsAre("kv[gemma4-assistant.embedding_length_out].value is 12, but the "
                          "embedding length of the base is 8"));
}

TEST(DraftChecksTest, WidthOfBlocksForPrediction) {
  const auto model = [](uint32_t width) {
    GgufBuilder b;
    b.String("general.architecture", "qwen35")
        .U32("qwen35.embedding_length", width)
        .U32("qwen35.block_count", 3)
        .U32("qwen35.nextn_predict_layers", 1)
        .Tensor("blk.2.nextn.eh_proj.weight", {2 * width, width}, 0);
    return b;
  };
  const GgufBuilder target = model(8);
  EXPECT_THAT(Against(target, model(8)), IsEmpty());
  EXPECT_THAT(Against(target, model(12)),
              ElementsAre("kv[qwen35.embedding_length].value is 12, but the output embeddings of "
                          "the base have length 8"));
  // llama.cpp also uses the block of a whole model.
  GgufBuilder whole = model(12);
  whole.Tensor("blk.1.attn_norm.weight", {12}, 0);
  EXPECT_THAT(Against(target, whole), testing::SizeIs(1));
  // The length of the outputs counts, if it is stated.
  GgufBuilder wide = model(12);
  wide.U32("qwen35.embedding_length_out", 8);
  EXPECT_THAT(Against(target, wide), IsEmpty());
  GgufBuilder narrow = model(8);
  narrow.U32("qwen35.embedding_length_out", 4);
  EXPECT_THAT(Against(narrow, model(8)),
              ElementsAre("kv[qwen35.embedding_length].value is 8, but the output embeddings of "
                          "the base have length 4"));
}

}  // namespace
}  // namespace gguf
