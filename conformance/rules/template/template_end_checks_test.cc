// The end tokens of chat templates.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kEnd = {{"template-writes-end-token"}};

// A vocabulary in which <turn> and <|im_end|> are control tokens, and <think>
// and </think> are user-defined.
GgufBuilder With(const std::string& text) {
  GgufBuilder b = VocabularyFile("llama", {"<s>", "<turn>", "<|im_end|>", "<think>", "</think>"});
  AddI32s("token_type", {3, 3, 3, 4, 4}, &b);
  return b.String("tokenizer.chat_template", text);
}

TEST(TemplateEndChecksTest, WritesAnEndToken) {
  for (const char* text : {"<turn>assistant{{ message.content }}<|im_end|>",
                           "<turn>assistant{{ message.content + eos_token }}", "assistant: hello",
                           "assistant <think> <no token>", "<turn>user"}) {
    EXPECT_THAT(kEnd.In(With(text)), IsEmpty()) << text;
  }
}

TEST(TemplateEndChecksTest, WritesNone) {
  EXPECT_THAT(kEnd.MessagesIn(With("<turn>assistant{{ message.content }}<turn>")),
              ElementsAre("kv[tokenizer.chat_template].value writes special tokens, such as "
                          "\"<turn>\", but none that ends the generation"));
}

TEST(TemplateEndChecksTest, AKeyMakesAnEndToken) {
  const char* text = "<turn>assistant{{ message.content }}<turn>";
  EXPECT_THAT(kEnd.In(With(text).U32("tokenizer.ggml.eot_token_id", 1)), IsEmpty());
  EXPECT_THAT(kEnd.In(With(text).U32("tokenizer.ggml.eot_token_id", 0)),
              ElementsAre("warning template-writes-end-token kv[tokenizer.chat_template].value"));
}

TEST(TemplateEndChecksTest, AMarkerOfARoleEndsAnAnswer) {
  GgufBuilder b = VocabularyFile("llama", {"[gMASK]", "<|user|>", "<|assistant|>"});
  AddI32s("token_type", {3, 3, 3}, &b);
  b.U32("tokenizer.ggml.eos_token_id", 1);
  for (const char* marker : {"<|{{ m['role'] }}|>", "{{ '<|' + m.role + '|>' }}",
                             "{{- '<|' ~ role ~ '|>\n' -}}", "<|{{- m[\"role\"] -}}|>"}) {
    const std::string text =
        absl::StrCat("[gMASK]", marker, "{{ m.content }}{% if x %}<|assistant|>{% endif %}");
    EXPECT_THAT(kEnd.In(GgufBuilder(b).String("tokenizer.chat_template", text)), IsEmpty()) << text;
  }
  for (const char* marker : {"<|{{ m['name'] }}|>", "<{{ m['role'] }}>", "<| {{ m['role'] }}|>"}) {
    const std::string text =
        absl::StrCat("[gMASK]", marker, "{{ m.content }}{% if x %}<|assistant|>{% endif %}");
    EXPECT_THAT(kEnd.In(GgufBuilder(b).String("tokenizer.chat_template", text)),
                ElementsAre("warning template-writes-end-token kv[tokenizer.chat_template].value"))
        << text;
  }
}

TEST(TemplateEndChecksTest, AUserDefinedTokenFollowsContent) {
  for (const char* written :
       {"{{ m.content }}<think>", "{{- m['content'] -}}\n<think>",
        "{{ m['content'] | trim + '<think>' }}", "{{ (m.content)|trim() + '\\n<think>' }}",
        "{{ content }}{{ '<think>' }}", "{{ m.content.strip() }}<think>",
        "{{ m.content | replace('a', 'b') }}<think>",
        "{{ m.content }}{%- if not loop.last -%}<think>{% endif %}",
        "{% if m.content %}{{ m.content }}{% endif %}<think>"}) {
    EXPECT_THAT(kEnd.MessagesIn(With(absl::StrCat("assistant", written))),
                ElementsAre("kv[tokenizer.chat_template].value writes special tokens, such as "
                            "\"<think>\", but none that ends the generation"))
        << written;
  }
  for (const char* written :
       {"<think>{{ m.content }}", "{{ m.content }} User: <think>",
        "{{ m.content }}{{ m.tools }}<think>", "{{ m.content.split('<think>') }}",
        "{{ m.reasoning_content }}<think>", "{{ m.content }}</think>",
        "{% if a %}{{ m.content }}{% else %}<think>{% endif %}",
        "{{ m.content }}<think>{{ eos_token }}"}) {
    EXPECT_THAT(kEnd.In(With(absl::StrCat("assistant", written))), IsEmpty()) << written;
  }
  EXPECT_THAT(
      kEnd.In(With("assistant{{ m.content }}<think>").U32("tokenizer.ggml.eot_token_id", 3)),
      IsEmpty());
}

}  // namespace
}  // namespace gguf
