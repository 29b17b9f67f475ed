// Tokens that stand for single bytes.
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
using testing::IsEmpty;
using testing::Not;

const FindingsOf kBytes = {{"byte-tokens-complete", "plamo2-byte-tokens-complete",
                            "byte-tokens-well-formed", "byte-tokens-have-digits",
                            "wpm-without-byte-tokens"}};

// Returns "<unk>", the 256 byte tokens, and others of type byte, after
// `change`.
template <class Change>
GgufBuilder Bytes(const char* model, Change change) {
  std::vector<std::string> tokens = ByteTokenTexts();
  tokens.insert(tokens.begin(), "<unk>");
  std::vector<int32_t> types(tokens.size(), 6);
  types[0] = 2;
  change(&tokens, &types);
  GgufBuilder file = VocabularyFile(model, tokens);
  AddI32s("token_type", types, &file);
  return file;
}

GgufBuilder WithToken(const char* model, const char* text) {
  return Bytes(model, [&](auto* tokens, auto* types) {
    tokens->push_back(text);
    types->push_back(6);
  });
}

TEST(ByteTokenChecksTest, Complete) {
  EXPECT_THAT(kBytes.In(WithToken("llama", "<0xab>")), IsEmpty());
  const auto without_10 = [](auto* tokens, auto*) { tokens->at(11) = "<0x1>"; };
  EXPECT_THAT(
      kBytes.MessagesIn(Bytes("llama", without_10)),
      ElementsAre("kv[tokenizer.ggml.tokens].value lacks the byte token <0x0A>",
                  "kv[tokenizer.ggml.tokens].value[11] is \"<0x1>\", but its type is byte"));
  const auto newline = [](auto* tokens, auto* types) {
    tokens->at(11) = "\n";
    types->at(11) = 1;
  };
  EXPECT_THAT(kBytes.In(Bytes("llama", newline)), IsEmpty());
  EXPECT_THAT(
      kBytes.MessagesIn(VocabularyFile("llama", {"a", "<0x00>"})),
      ElementsAre(
          "kv[tokenizer.ggml.tokens].value lacks 254 of the 256 byte tokens, first <0x01>"));
  EXPECT_THAT(kBytes.In(VocabularyFile("gpt2", {"a"})), IsEmpty());
  EXPECT_THAT(kBytes.In(VocabularyFile("t5", {"a"})), IsEmpty());
}

TEST(ByteTokenChecksTest, Plamo2Complete) {
  EXPECT_THAT(kBytes.In(WithToken("plamo2", "<0xab>")), IsEmpty());
  const auto untyped = [](auto*, auto* types) { types->at(11) = 1; };
  EXPECT_THAT(kBytes.MessagesIn(Bytes("plamo2", untyped)),
              ElementsAre("kv[tokenizer.ggml.tokens].value lacks the byte token <0x0A>"));
  EXPECT_THAT(kBytes.In(Bytes("llama", untyped)), IsEmpty());
  const auto first = [](auto* tokens, auto* types) {
    tokens->erase(tokens->begin());
    types->erase(types->begin());
  };
  EXPECT_THAT(kBytes.MessagesIn(Bytes("plamo2", first)),
              ElementsAre("kv[tokenizer.ggml.tokens].value lacks the byte token <0x00>"));
}

TEST(ByteTokenChecksTest, WellFormed) {
  for (const char* text : {"", "<0x", "<0x1>", "<0x-1>", "<0xZZ>", "<0x100>", "<0x0a ", "[0x0a>"}) {
    EXPECT_THAT(kBytes.In(WithToken("llama", text), "safety"),
                ElementsAre("error byte-tokens-well-formed kv[tokenizer.ggml.tokens].value[257]"))
        << text;
    EXPECT_THAT(kBytes.In(WithToken("rwkv", text), "safety"), IsEmpty());
  }
  for (const char* text : {"a", "<0"}) {
    EXPECT_THAT(kBytes.In(WithToken("gpt2", text), "llama.cpp"),
                ElementsAre("error byte-tokens-have-digits kv[tokenizer.ggml.tokens].value[257]"));
    EXPECT_THAT(
        kBytes.In(WithToken("plamo2", text), "llama.cpp"),
        ElementsAre("warning byte-tokens-well-formed kv[tokenizer.ggml.tokens].value[257]"));
  }
}

TEST(ByteTokenChecksTest, WpmWithout) {
  EXPECT_THAT(kBytes.In(WithToken("bert", "x"), "llama.cpp"),
              ElementsAre("error wpm-without-byte-tokens kv[tokenizer.ggml.tokens].value[1]"));
  EXPECT_THAT(kBytes.MessagesIn(WithToken("bert", "x")),
              ElementsAre("kv[tokenizer.ggml.tokens].value[1] is \"<0x00>\", the first of 257 "
                          "tokens of type byte"));
}

TEST(ByteTokenChecksTest, RwkvFirstBytes) {
  const auto in = [](const std::vector<std::string>& tokens) {
    return FindingsOf{{"rwkv-first-bytes-are-tokens"}}.MessagesIn(VocabularyFile("rwkv", tokens));
  };
  const auto without = [](int id, const std::string& text) {
    return ElementsAre(absl::StrCat("kv[tokenizer.ggml.tokens].value[", id, "] is ", text,
                                    ", but its first byte is not a token"));
  };
  EXPECT_THAT(in({"a", "b", "ab"}), IsEmpty());
  EXPECT_THAT(in({"a", "ba"}), without(1, "\"ba\""));
  EXPECT_THAT(in({"a", "ba", "a\\", "ca", "bc"}),
              ElementsAre("kv[tokenizer.ggml.tokens].value[1] is \"ba\", but its first byte is not "
                          "a token; 2 bytes are missing"));
  // llama.cpp reads escapes.
  for (const char* escaped : {"\\n", "\\x0a", "\\\n", "\\x0:"}) {
    EXPECT_THAT(in({escaped, "\na"}), IsEmpty()) << escaped;
    EXPECT_THAT(in({std::string(escaped) + "a", "a"}), Not(IsEmpty())) << escaped;
  }
  EXPECT_THAT(in({"\\t", "\\r", "\ta", "\ra"}), IsEmpty());
  EXPECT_THAT(in({"\\x6a", "jk", "\\", "\\x4", "\\x"}), IsEmpty());
  // What follows a NUL is not read.
  EXPECT_THAT(in({std::string("a\0b", 3), "ab"}), IsEmpty());
  // An empty token gets the name [EMPTY_1].
  EXPECT_THAT(in({"a", ""}), without(1, "\"\""));
  EXPECT_THAT(in({"[", ""}), IsEmpty());
  EXPECT_THAT(FindingsOf{{"rwkv-first-bytes-are-tokens"}}.In(VocabularyFile("llama", {"ba"})),
              IsEmpty());
}

}  // namespace
}  // namespace gguf
