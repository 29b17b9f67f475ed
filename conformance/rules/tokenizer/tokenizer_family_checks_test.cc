// Tokens, merges and scores that are not those of the stated tokenizer model.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/model/byte_letters.h"
#include "conformance/rules/tokenizer/tokenizer_family.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const FindingsOf kFamily = {{"tokenizer-model-fits-tokens", "bpe-byte-letters-complete",
                             "bpe-merges-sufficient", "bpe-spaces-encoded", "token-scores-differ",
                             "byte-tokens-complete"}};

// The tokens of a vocabulary with all bytes, and these words.
std::vector<std::string> Tokens(std::string (*spelling)(int byte),
                                const std::vector<std::string>& words) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(spelling(byte));
  tokens.insert(tokens.end(), words.begin(), words.end());
  return tokens;
}

const std::vector<std::string> kWords = {"\u0120t", "\u0120a", "he"};
const std::vector<std::string> kMerges = {"\u0120 t", "\u0120 a", "h e"};
const std::vector<std::string> kPieces = {"\u2581", "e", "\u2581t", "\u2581a", "he"};

GgufBuilder ByteLevel(const char* model, const std::vector<std::string>& tokens,
                      const std::vector<std::string>& merges = kMerges) {
  GgufBuilder file = VocabularyFile(model, tokens);
  file.String("tokenizer.ggml.pre", "gpt-2");
  AddStrings("merges", merges, &file);
  return file;
}

GgufBuilder SentencePiece(const char* model, const std::vector<std::string>& tokens) {
  GgufBuilder file = VocabularyFile(model, tokens);
  AddF32s("scores", std::vector<uint32_t>(tokens.size(), 0xBF800000), &file);  // -1
  return file;
}

TEST(TokenizerFamilyChecksTest, TheModelFitsTheTokens) {
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", Tokens(ByteLetter, kWords))), IsEmpty());
  EXPECT_THAT(kFamily.In(SentencePiece("llama", Tokens(ByteToken, kPieces))), IsEmpty());
  EXPECT_THAT(kFamily.MessagesIn(SentencePiece("llama", Tokens(ByteLetter, kWords))),
              ElementsAre(HasSubstr("is \"llama\" (SentencePiece), but the tokens are those of "
                                    "byte-level BPE")));
  EXPECT_THAT(kFamily.MessagesIn(ByteLevel("gpt2", Tokens(ByteToken, kPieces))),
              ElementsAre(HasSubstr("is \"gpt2\" (byte-level BPE), but the tokens are those of "
                                    "SentencePiece")));
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", Tokens(ByteToken, {"\u2581w0", "\u2581w1"}))),
              IsEmpty());  // Made up.
  // Neither: letters and byte tokens are too few, or there are both.
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", Tokens(ByteLetter, kPieces))),
              testing::Not(testing::Contains(HasSubstr("fits-tokens"))));
}

TEST(TokenizerFamilyChecksTest, LettersOfBytes) {
  std::vector<std::string> tokens = Tokens(ByteLetter, kWords);
  tokens[0x01] = "x1";  // A control character, and a byte that UTF-8 does not have.
  tokens[0xFF] = "x2";
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", tokens)), IsEmpty());
  tokens['q'] = "x3";
  EXPECT_THAT(kFamily.MessagesIn(ByteLevel("gpt2", tokens)),
              ElementsAre("kv[tokenizer.ggml.tokens].value lacks the letter \"q\", which stands "
                          "for the byte 0x71: text loses it"));
  tokens[' '] = "x4";
  EXPECT_THAT(kFamily.MessagesIn(ByteLevel("gpt2", tokens)),
              ElementsAre("kv[tokenizer.ggml.tokens].value lacks 2 of the letters that stand for "
                          "bytes, first \"\u0120\" for the byte 0x20: text loses these bytes"));
  tokens.resize(255);  // Made up.
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", tokens)), IsEmpty());
}

TEST(TokenizerFamilyChecksTest, MergesOfWords) {
  const auto tokens = Tokens(ByteLetter, {"ab", "cd", "ef", "gh"});
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", tokens, {"a b", "c d"})), IsEmpty());
  EXPECT_THAT(kFamily.MessagesIn(ByteLevel("gpt2", tokens, {"a b"})),
              ElementsAre("kv[tokenizer.ggml.merges].value has 1 merge for 4 tokens of several "
                          "letters, each of which needs one: text falls apart into its letters"));
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", Tokens(ByteLetter, {}), {})), IsEmpty());
}

TEST(TokenizerFamilyChecksTest, Spaces) {
  EXPECT_THAT(kFamily.MessagesIn(ByteLevel("gpt2", Tokens(ByteLetter, {" t", " a", "he"}))),
              ElementsAre("kv[tokenizer.ggml.tokens].value[256] is \" t\", with a space as most "
                          "tokens; byte-level BPE has \"\u0120\" for it: no text becomes these "
                          "tokens"));
  // Added tokens may have spaces.
  EXPECT_THAT(kFamily.In(ByteLevel("gpt2", Tokens(ByteLetter, {"  ", "\u0120a", "he"}))),
              IsEmpty());
}

TEST(TokenizerFamilyChecksTest, Scores) {
  GgufBuilder file = VocabularyFile("llama", Tokens(ByteToken, kPieces));
  EXPECT_THAT(kFamily.MessagesIn(file),
              ElementsAre(HasSubstr("has 261 tokens, but tokenizer.ggml.scores is absent")));
  std::vector<uint32_t> scores(261, 0);
  AddF32s("scores", scores, &file);
  EXPECT_THAT(kFamily.MessagesIn(file), ElementsAre(HasSubstr("is all zeros")));
  GgufBuilder other = VocabularyFile("llama", Tokens(ByteToken, kPieces));
  scores[260] = 0xBF800000;
  AddF32s("scores", scores, &other);
  EXPECT_THAT(kFamily.In(other), IsEmpty());
}

}  // namespace
}  // namespace gguf
