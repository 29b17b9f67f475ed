// Tests the checks of tokens, one by one and against each other.
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

const FindingsOf kTokens = {{"tokens-unique", "tokens-unique-before-nul", "tokens-without-nul",
                             "tokens-not-empty", "token-length-plausible", "added-tokens-known"}};

GgufBuilder Tokens(const std::vector<std::string>& tokens) {
  return VocabularyFile("rwkv", tokens);
}

TEST(VocabularyChecksTest, TokensUnique) {
  EXPECT_THAT(kTokens.In(Tokens({"a", "A", "aa"})), IsEmpty());
  EXPECT_THAT(kTokens.MessagesIn(Tokens({"a", "b", "a"})),
              ElementsAre("kv[tokenizer.ggml.tokens].value[2] is \"a\", as is token 0"));
  EXPECT_THAT(
      kTokens.MessagesIn(Tokens({"a", "b", "b", "a", "b"})),
      ElementsAre(
          "kv[tokenizer.ggml.tokens].value[2] is \"b\", as is token 1; the first of 3 duplicates"));
  EXPECT_THAT(kTokens.In(Tokens({"a", "a"}), "llama.cpp"),
              ElementsAre("error tokens-unique kv[tokenizer.ggml.tokens].value[1]"));
}

TEST(VocabularyChecksTest, EmptyTokensAreNoDuplicates) {
  EXPECT_THAT(kTokens.MessagesIn(Tokens({"", "a", ""})),
              ElementsAre("kv[tokenizer.ggml.tokens].value[0] is the first of 2 that are empty"));
}

TEST(VocabularyChecksTest, NulCutsTokens) {
  const std::string nul(1, '\0');
  EXPECT_THAT(kTokens.In(Tokens({"a", "b" + nul + "x"}), "llama.cpp"),
              ElementsAre("warning tokens-without-nul kv[tokenizer.ggml.tokens].value[1]"));
  const std::vector<std::string> same = {
      "error tokens-unique-before-nul kv[tokenizer.ggml.tokens].value[1]",
      "warning tokens-without-nul kv[tokenizer.ggml.tokens].value[1]"};
  EXPECT_EQ(kTokens.In(Tokens({"a", "a" + nul + "x"}), "llama.cpp"), same);
  // Both are truncated, and neither repeats an earlier token.
  EXPECT_THAT(
      kTokens.MessagesIn(Tokens({"a" + nul + "x", "a" + nul + "y"}), "llama.cpp"),
      ElementsAre("kv[tokenizer.ggml.tokens].value[0] is the first of 2 that contain a NUL byte",
                  "kv[tokenizer.ggml.tokens].value[1] equals another token up to its NUL byte"));
  // A token that is empty then gets a name.
  EXPECT_THAT(kTokens.In(Tokens({nul, nul + "x"}), "llama.cpp"),
              ElementsAre("warning tokens-without-nul kv[tokenizer.ggml.tokens].value[0]"));
}

TEST(VocabularyChecksTest, TokenLength) {
  const std::string longest(1 << 20, 'x');
  EXPECT_THAT(kTokens.In(Tokens({"a", longest})), IsEmpty());
  EXPECT_THAT(kTokens.MessagesIn(Tokens({"a", longest + "x"}), "safety"),
              ElementsAre("kv[tokenizer.ggml.tokens].value[1] is 1048577 bytes long, more than 1 "
                          "MiB"));
}

TEST(VocabularyChecksTest, AddedTokensKnown) {
  GgufBuilder b = Tokens({"a", "b"});
  AddStrings("added_tokens", {"b", "c", "a", "d"}, &b);
  EXPECT_THAT(kTokens.MessagesIn(b, "spec"),
              ElementsAre("kv[tokenizer.ggml.added_tokens].value[1] is \"c\", the first of 2 that "
                          "are not in tokenizer.ggml.tokens"));
}

TEST(VocabularyChecksTest, SaysWhatCannotBeChecked) {
  const FindingsOf unique = {{"tokens-unique"}};
  EXPECT_THAT(unique.NotCheckedIn(VocabularyFile("none", {"a", "a"})),
              ElementsAre("tokens-unique: tokenizer.ggml.model says that there is no vocabulary"));
  GgufBuilder b;
  b.String("general.architecture", "llama").U32("tokenizer.ggml.tokens", 1);
  EXPECT_THAT(unique.NotCheckedIn(b),
              ElementsAre("tokens-unique: tokenizer.ggml.tokens is not an array of strings"));
  // A file without tokens has no findings.
  GgufBuilder none;
  none.String("tokenizer.ggml.model", "none");
  EXPECT_THAT(unique.NotCheckedIn(none), IsEmpty());
}

}  // namespace
}  // namespace gguf
