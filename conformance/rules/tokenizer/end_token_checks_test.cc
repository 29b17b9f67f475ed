// Keys of end tokens that name other tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kEnds = {
    {"end-tokens-end-text", "default-tokens-special", "chat-prompts-open", "control-tokens-typed"}};

constexpr uint32_t kEnd = 299, kStart = 298, kComma = 11, kByte = 13, kControl = 20;

// A vocabulary of 300 tokens: words of these types, a byte, two marks of turns.
GgufBuilder File(const char* model = "gpt2", bool has_end = true) {
  std::vector<std::string> tokens;
  for (int i = 0; i < 300; ++i) tokens.push_back("t" + std::to_string(i));
  tokens[kComma] = ",";
  tokens[kByte] = "<0x0A>";
  tokens[kStart] = "<|im_start|>";
  tokens[kEnd] = has_end ? "<|im_end|>" : "t299";
  std::vector<int32_t> types(300, 1);
  types[kByte] = 6;
  types[kControl] = types[kStart] = types[kEnd] = 3;
  GgufBuilder file = VocabularyFile(model, tokens);
  AddI32s("token_type", types, &file);
  return file;
}

GgufBuilder WithEos(uint32_t id, bool has_end = true) {
  return File("gpt2", has_end).U32("tokenizer.ggml.eos_token_id", id);
}

TEST(EndTokenChecksTest, EndTokensEndTexts) {
  const std::string value = "kv[tokenizer.ggml.eos_token_id].value ";
  EXPECT_THAT(kEnds.In(WithEos(kEnd)), IsEmpty());
  EXPECT_THAT(kEnds.MessagesIn(WithEos(kComma)),
              ElementsAre(value + "is 11, the token \",\", which is ordinary text and ends none; "
                                  "\"<|im_end|>\" is token 299"));
  EXPECT_THAT(kEnds.MessagesIn(WithEos(kByte)),
              ElementsAre(value + "is 13, the byte token \"<0x0A>\", which ends no text; "
                                  "\"<|im_end|>\" is token 299"));
  EXPECT_THAT(kEnds.MessagesIn(WithEos(kStart)),
              ElementsAre(value + "is 298, the token \"<|im_start|>\", which begins a text or a "
                                  "turn; \"<|im_end|>\" is token 299"));
  // A control token that looks like text is a mark, unless there is a better one.
  EXPECT_EQ(kEnds.In(WithEos(kControl)).size(), 1u);
  EXPECT_THAT(kEnds.In(WithEos(kControl, false)), IsEmpty());
  EXPECT_THAT(kEnds.In(WithEos(kStart, false)), IsEmpty());
  EXPECT_THAT(
      kEnds.In(
          File().U32("tokenizer.ggml.eot_token_id", 3).U32("tokenizer.ggml.eos_token_id", kEnd)),
      ElementsAre("warning end-tokens-end-text kv[tokenizer.ggml.eot_token_id].value"));
  // Texts of RWKV end with newlines.
  EXPECT_THAT(kEnds.In(File("rwkv").U32("tokenizer.ggml.eos_token_id", 3)), IsEmpty());
}

TEST(EndTokenChecksTest, DefaultsAreSpecial) {
  EXPECT_THAT(kEnds.MessagesIn(File()),
              ElementsAre("kv[tokenizer.ggml.eos_token_id] is absent, and llama.cpp then takes "
                          "token 11, \",\", which ends no text; \"<|im_end|>\" is token 299"));
  EXPECT_THAT(kEnds.MessagesIn(File("llama").U32("tokenizer.ggml.eos_token_id", kEnd)),
              ElementsAre("kv[tokenizer.ggml.bos_token_id] is absent, and llama.cpp then begins "
                          "each text with token 1, \"t1\""));
}

TEST(EndTokenChecksTest, PromptsStayOpen) {
  GgufBuilder file = WithEos(kEnd);
  AddBool("add_eos_token", true, &file);
  EXPECT_THAT(kEnds.In(file), IsEmpty());
  file.String("tokenizer.chat_template", "{{ messages[0].content }}");
  EXPECT_THAT(kEnds.In(file),
              ElementsAre("warning chat-prompts-open kv[tokenizer.ggml.add_eos_token].value"));
  EXPECT_THAT(kEnds.In(file.U32("llama.pooling_type", 3)), IsEmpty());
}

}  // namespace
}  // namespace gguf
