// The end tokens of chat templates.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kEnd = {{"template-writes-end-token"}};

// A vocabulary in which <turn> and <|im_end|> are control tokens, and <eos> is
// not.
GgufBuilder With(const std::string& text) {
  GgufBuilder b =
      VocabularyFile("llama", {"<s>", "<turn>", "<|im_end|>", "<think>"});
  AddI32s("token_type", {3, 3, 3, 4}, &b);
  return b.String("tokenizer.chat_template", text);
}

TEST(TemplateEndChecksTest, WritesAnEndToken) {
  for (const char* text :
       {"<turn>assistant{{ message.content }}<|im_end|>",
        "<turn>assistant{{ message.content + eos_token }}", "assistant: hello",
        "assistant <think> <no token>", "<turn>user"}) {
    EXPECT_THAT(kEnd.In(With(text)), IsEmpty()) << text;
  }
}

TEST(TemplateEndChecksTest, WritesNone) {
  EXPECT_THAT(
      kEnd.MessagesIn(With("<turn>assistant{{ message.content }}<turn>")),
      ElementsAre("kv[tokenizer.chat_template].value writes control tokens, "
                  "such as \"<turn>\", but none that ends the generation"));
}

TEST(TemplateEndChecksTest, AKeyMakesAnEndToken) {
  const char* text = "<turn>assistant{{ message.content }}<turn>";
  EXPECT_THAT(kEnd.In(With(text).U32("tokenizer.ggml.eot_token_id", 1)),
              IsEmpty());
  EXPECT_THAT(kEnd.In(With(text).U32("tokenizer.ggml.eot_token_id", 0)),
              ElementsAre("warning template-writes-end-token "
                          "kv[tokenizer.chat_template].value"));
}

}  // namespace
}  // namespace gguf
