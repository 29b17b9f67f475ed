// What chat templates write for a fixed conversation.
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

constexpr char kValue[] = "kv[tokenizer.chat_template].value ";

// A vocabulary in which <turn> and <|im_end|> are control tokens, and <think>
// and </think> are user-defined.
GgufBuilder With(const std::string& text) {
  GgufBuilder b = VocabularyFile(
      "llama", {"<s>", "<turn>", "<|im_end|>", "<think>", "</think>", "[gMASK]", "<|user|>"});
  AddI32s("token_type", {3, 3, 3, 4, 4, 3, 3}, &b);
  b.U32("tokenizer.ggml.bos_token_id", 0);
  return b.String("tokenizer.chat_template", text);
}

// A template that writes this for each message, and the header of an answer if asked for.
std::string Loop(const std::string& body, const std::string& prompt = "") {
  return absl::StrCat("{% for m in messages %}", body, "{% endfor %}",
                      "{% if add_generation_prompt %}", prompt, "{% endif %}");
}

const FindingsOf kEnd = {{"template-writes-end-token"}};

TEST(RenderingChecksTest, AnEndTokenFollowsAnAnswer) {
  for (const std::string& text :
       {Loop("<turn>{{ m.role }} {{ m.content }}<|im_end|>"), Loop("{{ m.role }}: {{ m.content }}"),
        Loop("{{ m.content }}{% if m.role == 'assistant' %}<|im_end|>{% endif %}<turn>"),
        std::string("<turn>{{ x }}")}) {
    EXPECT_THAT(kEnd.In(With(text)), IsEmpty()) << text;
  }
  EXPECT_THAT(kEnd.MessagesIn(With(Loop("{{ m.content }}<turn>"))),
              ElementsAre(absl::StrCat(kValue,
                                       "writes \"<turn>\" after an answer, and no token "
                                       "that ends the generation")));
}

TEST(RenderingChecksTest, AKeyMakesAnEndToken) {
  const std::string text = Loop("{{ m.content }}<turn>");
  EXPECT_THAT(kEnd.In(With(text).U32("tokenizer.ggml.eot_token_id", 1)), IsEmpty());
  EXPECT_THAT(kEnd.In(With(text).U32("tokenizer.ggml.eot_token_id", 0)),
              ElementsAre("warning template-writes-end-token kv[tokenizer.chat_template].value"));
}

// As in GLM-4: text and expression make the marker.
TEST(RenderingChecksTest, AMarkerOfARoleEndsAnAnswer) {
  for (const char* marker :
       {"<|{{ m['role'] }}|>", "{{ '<|' + m.role + '|>' }}", "{% set r = m.role %}<|{{ r }}|>"}) {
    const GgufBuilder b = With(Loop(absl::StrCat(marker, "{{ m.content }}")));
    EXPECT_THAT(kEnd.In(GgufBuilder(b).U32("tokenizer.ggml.eos_token_id", 6)), IsEmpty()) << marker;
    EXPECT_THAT(kEnd.In(b).size(), 1u) << marker;
  }
}

TEST(RenderingChecksTest, AUserDefinedTokenFollowsContent) {
  for (const char* written : {"{{ m.content }}<think>", "{{ m['content'] | trim + '<think>' }}"}) {
    EXPECT_THAT(kEnd.MessagesIn(With(Loop(written))),
                ElementsAre(absl::StrCat(kValue,
                                         "writes \"<think>\" after an answer, and no token "
                                         "that ends the generation")))
        << written;
  }
  for (const char* written : {"<think> {{ m.content }} x", "{{ m.content }} User: <think>"}) {
    EXPECT_THAT(kEnd.In(With(Loop(written))), IsEmpty()) << written;
  }
}

TEST(RenderingChecksTest, Renders) {
  const FindingsOf rule = {{"template-renders"}};
  EXPECT_THAT(rule.In(With(Loop("{{ m.content }}"))), IsEmpty());
  EXPECT_THAT(rule.In(With("{{ x.y }}")), IsEmpty());  // Not about messages.
  EXPECT_THAT(rule.MessagesIn(With("{{ messages[0].tools[1] }}")),
              ElementsAre(absl::StrCat(kValue,
                                       "fails for a conversation of one user message: \"'dict "
                                       "object' has no attribute 'tools'\"")));
  EXPECT_EQ(rule.In(With("{{ messages }}{{ raise_exception('no') }}")).size(), 1u);
}

TEST(RenderingChecksTest, Bounded) {
  const FindingsOf rule = {{"template-rendering-bounded"}};
  const std::string loop = "{% for i in range(99999) %}{{ messages }}{% endfor %}";
  EXPECT_EQ(rule.In(With(loop)).size(), 1u);
  EXPECT_THAT(rule.In(With(Loop("{% for i in range(90) %}a{% endfor %}"))), IsEmpty());
}

TEST(RenderingChecksTest, WritesContents) {
  const FindingsOf rule = {{"template-writes-contents"}};
  EXPECT_THAT(rule.In(With(Loop("{{ m.role }} {{ m.content }}"))), IsEmpty());
  EXPECT_THAT(rule.MessagesIn(With(Loop("{{ m.role }}"))),
              ElementsAre(absl::StrCat(
                  kValue, "leaves out the content of the first of two user messages")));
  EXPECT_THAT(rule.MessagesIn(With(Loop("{{ 'Say hello' if loop.last else m.content }}"))),
              ElementsAre(absl::StrCat(kValue, "leaves out the content of the last user message")));
  EXPECT_THAT(rule.MessagesIn(With("{% for m in messages|reverse %}{{ m.content }}{% endfor %}")),
              ElementsAre(absl::StrCat(
                  kValue, "writes the assistant's answer before the message that it follows")));
  EXPECT_THAT(rule.In(With("Is it safe? {{ messages[-1].content }}")), IsEmpty());
  EXPECT_THAT(rule.In(With("{{ messages[0].content }}")).size(), 1u);
  // Without the system message, which the template refuses.
  EXPECT_THAT(rule.In(With(Loop("{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"
                                "{{ m.content }}"))),
              IsEmpty());
}

TEST(RenderingChecksTest, WritesTheGenerationPrompt) {
  const FindingsOf rule = {{"template-generation-prompt"}};
  const std::string body = "<turn>{{ m.role }}\n{{ m.content }}<|im_end|>\n";
  EXPECT_THAT(rule.In(With(Loop(body, "<turn>assistant\n"))), IsEmpty());
  EXPECT_THAT(
      rule.MessagesIn(With(Loop(body))),
      ElementsAre(absl::StrCat(kValue,
                               "writes \"<turn>assistant\" before an answer, but not at "
                               "the end of the prompt when add_generation_prompt is true")));
  // As in Llama 2: what follows the user's message begins the answer.
  EXPECT_THAT(rule.In(With(Loop("{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% else %} "
                                "{{ m.content }}<|im_end|>{% endif %}"))),
              IsEmpty());
}

TEST(RenderingChecksTest, LineBreaksBosAndLinks) {
  const FindingsOf breaks = {{"template-line-breaks"}};
  EXPECT_THAT(breaks.In(With(Loop("{{ m.content + '\\n' }}\n"))), IsEmpty());
  EXPECT_EQ(breaks.In(With(Loop("{{ m.content }}\\n"))).size(), 1u);
  const FindingsOf bos = {{"template-bos-once"}};
  EXPECT_THAT(bos.In(With("{{ bos_token }}" + Loop("{{ m.content }}"))), IsEmpty());
  EXPECT_THAT(bos.MessagesIn(With("{{ bos_token }}<s>" + Loop("{{ m.content }}"))),
              ElementsAre(absl::StrCat(kValue, "begins with \"<s>\" twice")));
  const FindingsOf links = {{"template-contents-not-in-links"}};
  EXPECT_THAT(links.In(With("see https://a.b/c " + Loop("{{ m.content }}"))), IsEmpty());
  EXPECT_THAT(links.MessagesIn(With(Loop("{{ m.content }}![x](https://a.b/?q={{ m.content }}) "))),
              ElementsAre(absl::StrCat(kValue,
                                       "puts the content of a message into the link "
                                       "\"https://a.b/?q=qsystemq)\"")));
}

}  // namespace
}  // namespace gguf
