// Tokens that are found by their text.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/control_tokens.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kTexts = {{"control-tokens-typed", "phi-3-tokens-present"}};

GgufBuilder Typed(const std::vector<std::string>& tokens, const std::vector<int32_t>& types) {
  GgufBuilder file = VocabularyFile("rwkv", tokens);
  AddI32s("token_type", types, &file);
  return file;
}

TEST(TokenTextChecksTest, ControlTokensTyped) {
  EXPECT_THAT(kTexts.In(Typed({"a", "<|im_end|>"}, {1, 3})), IsEmpty());
  EXPECT_THAT(
      kTexts.MessagesIn(Typed({"a", "<|im_end|>"}, {1, 4})),
      ElementsAre("kv[tokenizer.ggml.token_type].value[1] is 4, not 3 (control), but the token is "
                  "\"<|im_end|>\""));
  // Also found by its id; reported once.
  EXPECT_THAT(kTexts.In(Typed({"a", "<|im_end|>"}, {1, 1})
                            .U32("tokenizer.ggml.eot_token_id", 1)
                            .U32("tokenizer.ggml.eos_token_id", 0)),
              ElementsAre("warning control-tokens-typed kv[tokenizer.ggml.token_type].value[0]",
                          "warning control-tokens-typed kv[tokenizer.ggml.token_type].value[1]"));
  // A token without a type is not reported.
  EXPECT_THAT(kTexts.In(Typed({"a", "<|im_end|>"}, {1})), IsEmpty());
  EXPECT_THAT(kTexts.In(VocabularyFile("rwkv", {"<|im_end|>"})), IsEmpty());
}

TEST(TokenTextChecksTest, EachControlTokenIsFoundUntyped) {
  for (const ControlTokenRow& row : kControlTokens) {
    EXPECT_THAT(kTexts.In(Typed({"a", row.text}, {1, 1})),
                ElementsAre("warning control-tokens-typed kv[tokenizer.ggml.token_type].value[1]"))
        << row.text;
    EXPECT_THAT(kTexts.In(Typed({"a", row.text}, {1, 3})), IsEmpty()) << row.text;
    if (*row.unless == 0) continue;
    EXPECT_THAT(kTexts.In(Typed({"a", row.text}, {1, 1}).U32(row.unless, 0)), IsEmpty())
        << row.text;
  }
}

TEST(TokenTextChecksTest, AnIdStopsTheSearchForATextOfItsKind) {
  EXPECT_THAT(kTexts.In(Typed({"a", "<PRE>"}, {1, 1})),
              ElementsAre("warning control-tokens-typed kv[tokenizer.ggml.token_type].value[1]"));
  EXPECT_THAT(kTexts.In(Typed({"a", "<PRE>"}, {1, 1}).U32("tokenizer.ggml.fim_pre_token_id", 0)),
              IsEmpty());
}

TEST(TokenTextChecksTest, Phi3) {
  const std::vector<std::string> all = {"</s>", "<unk>", "<s>", "<|endoftext|>"};
  const auto named = [](const std::vector<std::string>& tokens, absl::string_view name) {
    return VocabularyFile("rwkv", tokens).String("general.name", name);
  };
  EXPECT_THAT(kTexts.In(named(all, "a PHI-3 b")), IsEmpty());
  EXPECT_THAT(kTexts.In(named({"a"}, "phi-2")), IsEmpty());
  EXPECT_THAT(
      kTexts.MessagesIn(named({"</s>", "<s>", "<|endoftext|>"}, "Phi3")),
      ElementsAre(
          "kv[general.name].value is \"Phi3\", but the vocabulary lacks the token \"<unk>\""));
  EXPECT_EQ(kTexts.In(named({"a"}, "a PHI-3 b"), "llama.cpp").size(), 4u);
}

}  // namespace
}  // namespace gguf
