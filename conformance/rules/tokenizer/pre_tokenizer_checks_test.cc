// Tests whether pre-tokenizers fit the merges of a vocabulary.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const FindingsOf kFits = {{"pre-tokenizer-fits-vocabulary"}};
const FindingsOf kPresent = {{"pre-tokenizer-present"}};

// Returns a file with `words` merges that make words, the given ones, and this pre-tokenizer, if
// any.
GgufBuilder Merges(int words, const char* space, const std::vector<std::string>& others,
                   const char* pre) {
  std::vector<std::string> merges = others;
  for (int i = 0; i < words; ++i) {
    const std::string word = {static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26)};
    merges.push_back(absl::StrCat(i % 2 == 0 ? space : "x", " ", word));
  }
  GgufBuilder file = VocabularyFile("gpt2", {"a"});
  if (pre != nullptr) file.String("tokenizer.ggml.pre", pre);
  AddStrings("merges", merges, &file);
  return file;
}

constexpr char kByteSpace[] = "\xC4\xA0";
constexpr char kPlainSpace[] = "\xE2\x96\x81";

TEST(PreTokenizerChecksTest, NamesTheShareAnExampleAndWhatFits) {
  const std::vector<std::string> digits = {"1 2", "3 4", "5 6"};
  EXPECT_THAT(kFits.In(Merges(597, kByteSpace, digits, "llama-bpe")), IsEmpty());
  EXPECT_THAT(kFits.MessagesIn(Merges(597, kByteSpace, digits, "qwen2")),
              ElementsAre(testing::AllOf(
                  testing::StartsWith(
                      "kv[tokenizer.ggml.pre].value is \"qwen2\", which cuts 0.5 % of the tokens "
                      "that the merges make (the right one, at most 0.33 %), such as \"12\"; "),
                  HasSubstr("\"llama-bpe\""), testing::EndsWith(" fit the merges"))));
  EXPECT_THAT(kFits.In(Merges(597, kByteSpace, digits, "qwen2"), "llama.cpp"),
              ElementsAre("warning pre-tokenizer-fits-vocabulary kv[tokenizer.ggml.pre].value"));
}

TEST(PreTokenizerChecksTest, AFewStrayTokensAndSmallVocabulariesTellNothing) {
  EXPECT_THAT(kFits.In(Merges(597, kByteSpace, {"1 2", "3 4"}, "qwen2")), IsEmpty());
  EXPECT_THAT(kFits.In(Merges(496, kByteSpace, {"1 2", "3 4", "5 6"}, "qwen2")), IsEmpty());
  EXPECT_THAT(kFits.MessagesIn(Merges(497, kByteSpace, {"1 2", "3 4", "5 6"}, "qwen2")),
              testing::SizeIs(1));
}

TEST(PreTokenizerChecksTest, DefaultMayNotCutAny) {
  EXPECT_THAT(kFits.In(Merges(597, kByteSpace, {}, "default")), IsEmpty());
  EXPECT_THAT(kFits.MessagesIn(Merges(597, kByteSpace, {". )"}, "gpt-2")), IsEmpty());
  EXPECT_THAT(kFits.MessagesIn(Merges(597, kByteSpace, {"12 34"}, "default")), testing::SizeIs(1));
}

TEST(PreTokenizerChecksTest, MarksAndHalfCharactersAreLeftOut) {
  // U+0E01 U+0E48, a letter with a mark, and the first two bytes of such a character.
  const std::vector<std::string> merges(3, "\xC3\xA0\xC2\xB8\xC4\xA3 \xC3\xA0\xC2\xB9\xC4\xAA");
  EXPECT_THAT(kFits.In(Merges(597, kByteSpace, merges, "qwen2")), IsEmpty());
  EXPECT_THAT(
      kFits.In(Merges(597, kByteSpace,
                      {"1\xC3\xA0 \xC2\xB8", "2\xC3\xA0 \xC2\xB8", "3\xC3\xA0 \xC2\xB8"}, "qwen2")),
      IsEmpty());
}

TEST(PreTokenizerChecksTest, PlainTextAndLettersOfBytes) {
  EXPECT_THAT(kFits.In(Merges(597, kPlainSpace, {}, "gemma4")), IsEmpty());
  EXPECT_THAT(kFits.MessagesIn(Merges(597, kPlainSpace, {}, "qwen2")),
              ElementsAre(testing::StartsWith(
                  "kv[tokenizer.ggml.pre].value is \"qwen2\", which takes tokens for letters of "
                  "byte-level BPE, but the merges are plain text; \"gemma4\", ")));
  EXPECT_THAT(kFits.MessagesIn(Merges(597, kByteSpace, {}, "gemma4")),
              ElementsAre(testing::StartsWith(
                  "kv[tokenizer.ggml.pre].value is \"gemma4\", which takes tokens for plain text, "
                  "but the merges are in the letters of byte-level BPE; ")));
}

TEST(PreTokenizerChecksTest, AnAbsentOneHasSuggestions) {
  EXPECT_THAT(kPresent.MessagesIn(Merges(597, kByteSpace, {"12 34"}, nullptr)),
              ElementsAre(testing::AllOf(HasSubstr("tokenizer.ggml.pre is absent; \"chameleon\", "),
                                         testing::EndsWith(" fit the merges"))));
  EXPECT_THAT(
      kPresent.MessagesIn(Merges(5, kByteSpace, {}, nullptr)),
      ElementsAre("kv[tokenizer.ggml.model].value is gpt2, but tokenizer.ggml.pre is absent"));
}

}  // namespace
}  // namespace gguf
