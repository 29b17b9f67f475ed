// The ids of special tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kIds = {{"token-ids-in-range", "padding-token-id-in-range",
                          "default-token-ids-in-range", "suppressed-token-ids-in-range",
                          "added-token-has-id"}};

std::vector<std::string> Texts(int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back("t" + std::to_string(i));
  return texts;
}

TEST(SpecialTokenChecksTest, IdsInRange) {
  const auto with_eos = [](uint32_t id) {
    return VocabularyFile("rwkv", Texts(3)).U32("tokenizer.ggml.eos_token_id", id);
  };
  EXPECT_THAT(kIds.In(with_eos(2)), IsEmpty());
  EXPECT_THAT(
      kIds.MessagesIn(with_eos(3)),
      ElementsAre("kv[tokenizer.ggml.eos_token_id].value is 3, but the vocabulary has 3 tokens"));
  EXPECT_THAT(kIds.In(with_eos(0xffffffff), "safety"),
              ElementsAre("error token-ids-in-range kv[tokenizer.ggml.eos_token_id].value"));
  // Checks all keys of that form, and no others.
  EXPECT_THAT(kIds.In(VocabularyFile("rwkv", Texts(3))
                          .U32("tokenizer.ggml.new_token_id", 3)
                          .U32("tokenizer.ggml.token_type_count", 3)),
              ElementsAre("error token-ids-in-range kv[tokenizer.ggml.new_token_id].value"));
  // The padding token has a rule of its own.
  EXPECT_THAT(
      kIds.In(VocabularyFile("rwkv", Texts(3)).U32("tokenizer.ggml.padding_token_id", 3)),
      ElementsAre("warning padding-token-id-in-range kv[tokenizer.ggml.padding_token_id].value"));
}

TEST(SpecialTokenChecksTest, DefaultIdsInRange) {
  EXPECT_THAT(kIds.In(VocabularyFile("gpt2", Texts(12))), IsEmpty());
  EXPECT_THAT(kIds.MessagesIn(VocabularyFile("gpt2", Texts(11))),
              ElementsAre("kv[tokenizer.ggml.tokens].value has 11 tokens, but without "
                          "tokenizer.ggml.bos_token_id readers use token 11",
                          "kv[tokenizer.ggml.tokens].value has 11 tokens, but without "
                          "tokenizer.ggml.eos_token_id readers use token 11"));
  EXPECT_THAT(kIds.In(VocabularyFile("gpt2", Texts(11))
                          .U32("tokenizer.ggml.bos_token_id", 0)
                          .U32("tokenizer.ggml.eos_token_id", 0)),
              IsEmpty());
  EXPECT_THAT(kIds.In(VocabularyFile("bert", Texts(104))), IsEmpty());
  const FindingsOf defaults = {{"default-token-ids-in-range"}};
  EXPECT_EQ(defaults.In(VocabularyFile("bert", Texts(1))).size(), 4u);
  EXPECT_THAT(kIds.In(VocabularyFile("rwkv", Texts(1))), IsEmpty());
}

TEST(SpecialTokenChecksTest, SomePreTokenizersHaveNoFirstToken) {
  EXPECT_THAT(
      kIds.MessagesIn(VocabularyFile("gpt2", Texts(11)).String("tokenizer.ggml.pre", "glm4")),
      ElementsAre("kv[tokenizer.ggml.tokens].value has 11 tokens, but without "
                  "tokenizer.ggml.eos_token_id readers use token 11"));
}

TEST(SpecialTokenChecksTest, UnigramNewlines) {
  const FindingsOf unknown = {{"unigram-default-unknown-in-range"}};
  EXPECT_THAT(unknown.In(VocabularyFile("t5", Texts(3)), "llama.cpp"), IsEmpty());
  EXPECT_THAT(
      unknown.MessagesIn(VocabularyFile("t5", Texts(2)).U32("tokenizer.ggml.unknown_token_id", 0),
                         "llama.cpp"),
      ElementsAre("kv[tokenizer.ggml.tokens].value has 2 tokens and no newline, but the default "
                  "unknown token is 2"));
  EXPECT_THAT(unknown.In(VocabularyFile("t5", {"a", "\n"}), "llama.cpp"), IsEmpty());
  EXPECT_THAT(unknown.In(VocabularyFile("llama", {"a"}), "llama.cpp"), IsEmpty());
}

TEST(SpecialTokenChecksTest, AWordPieceVocabularyWithoutTokens) {
  const FindingsOf tokens = {{"wpm-has-tokens", "default-token-ids-in-range"}};
  EXPECT_THAT(tokens.MessagesIn(VocabularyFile("bert", {})),
              ElementsAre("kv[tokenizer.ggml.tokens].value has no tokens"));
  EXPECT_EQ(tokens.In(VocabularyFile("bert", Texts(1))).size(), 4u);
  EXPECT_EQ(tokens.In(VocabularyFile("llama", {})).size(), 3u);
}

TEST(SpecialTokenChecksTest, SuppressedIdsInRange) {
  const auto suppressing = [](const std::vector<int32_t>& ids) {
    GgufBuilder file = VocabularyFile("rwkv", Texts(3));
    AddI32s("suppress_tokens", ids, &file);
    return file;
  };
  EXPECT_THAT(kIds.In(suppressing({0, 2})), IsEmpty());
  EXPECT_THAT(
      kIds.MessagesIn(suppressing({0, 3})),
      ElementsAre("kv[tokenizer.ggml.suppress_tokens].value[1] is 3, but the vocabulary has "
                  "3 tokens"));
  EXPECT_THAT(kIds.MessagesIn(suppressing({-1, 0, 3})),
              ElementsAre("kv[tokenizer.ggml.suppress_tokens].value[0] is -1, but the vocabulary "
                          "has 3 tokens; the first of 2 such ids"));
}

TEST(SpecialTokenChecksTest, AddedTokenHasId) {
  const auto adding = [](const char* model, bool add) {
    GgufBuilder file = VocabularyFile(model, Texts(3));
    AddBool("add_bos_token", add, &file);
    return file;
  };
  EXPECT_THAT(kIds.MessagesIn(adding("t5", true)),
              ElementsAre("kv[tokenizer.ggml.add_bos_token].value is true, but "
                          "tokenizer.ggml.bos_token_id is absent"));
  EXPECT_THAT(kIds.In(adding("t5", false)), IsEmpty());
  EXPECT_THAT(kIds.In(adding("llama", true)), IsEmpty());
  EXPECT_THAT(kIds.In(adding("rwkv", true)), IsEmpty());  // It does not read the key.
  EXPECT_THAT(kIds.In(adding("t5", true).U32("tokenizer.ggml.bos_token_id", 0)), IsEmpty());
}

TEST(SpecialTokenChecksTest, ATokenAddedByDefaultHasAnId) {
  const FindingsOf added = {{"added-token-has-id"}};
  const auto without = [](const std::string& key, int id) {
    return "kv[tokenizer.ggml.tokens].value has 1 token, but without tokenizer.ggml." + key +
           "_token_id readers add token " + std::to_string(id) + " to each text";
  };
  EXPECT_THAT(added.MessagesIn(VocabularyFile("llama", Texts(1))), ElementsAre(without("bos", 1)));
  EXPECT_THAT(added.MessagesIn(VocabularyFile("t5", Texts(1))), ElementsAre(without("eos", 1)));
  EXPECT_THAT(added.In(VocabularyFile("gpt2", Texts(1))), IsEmpty());
  EXPECT_THAT(
      added.MessagesIn(VocabularyFile("gpt2", Texts(1)).String("tokenizer.ggml.pre", "llama3")),
      ElementsAre(without("bos", 11)));
  EXPECT_THAT(added.In(VocabularyFile("gpt2", Texts(12)).String("tokenizer.ggml.pre", "llama3")),
              IsEmpty());
  EXPECT_THAT(added.MessagesIn(VocabularyFile("gemma4", Texts(1))),
              ElementsAre("kv[tokenizer.ggml.tokens].value is without tokenizer.ggml.bos_token_id, "
                          "whose token readers add to each text"));
  // WordPiece does not read the keys that switch the tokens off.
  GgufBuilder pieces = VocabularyFile("bert", Texts(1));
  AddBool("add_bos_token", false, &pieces);
  EXPECT_THAT(added.MessagesIn(pieces),
              ElementsAre(without("bos", 101), without("seperator", 102)));
  EXPECT_THAT(
      added.In(
          pieces.U32("tokenizer.ggml.bos_token_id", 0).U32("tokenizer.ggml.seperator_token_id", 0)),
      IsEmpty());
}

TEST(SpecialTokenChecksTest, WithoutAModelThereAreNoDefaults) {
  EXPECT_THAT(kIds.In(VocabularyFile("nonesuch", Texts(1))), IsEmpty());
  EXPECT_THAT(kIds.NotCheckedIn(VocabularyFile("nonesuch", Texts(1))),
              ElementsAre("default-token-ids-in-range: tokenizer.ggml.model is absent or unknown",
                          "added-token-has-id: tokenizer.ggml.model is absent or unknown"));
}

}  // namespace
}  // namespace gguf
