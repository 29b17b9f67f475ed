// Chat templates, and the list of their names.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kTemplates = {{"template-size-bounded", "template-syntax",
                                "template-nesting-bounded", "template-loops-bounded",
                                "template-values-bounded", "template-attributes-safe",
                                "template-self-contained", "template-macros-end",
                                "template-macros-not-recursive", "template-names-listed"}};

constexpr uint32_t kString = 8, kArray = 9;

GgufBuilder With(absl::string_view text) {
  GgufBuilder b;
  return b.String("tokenizer.chat_template", text);
}

ByteWriter Names(const std::vector<std::string>& names) {
  ByteWriter list;
  list.U32(kString).Length(names.size());
  for (const std::string& name : names) list.String(name);
  return list;
}

// One message for each rule, in the template and in a named one.
TEST(TemplateChecksTest, Messages) {
  static constexpr struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"{% endif %}", "has \"endif\", which does not close the open block"},
      {"{% endif %}{% endif %}",
       "has \"endif\", which does not close the open block, the first of 2"},
      {"{{ range(10**12) }}", "has a loop of 1000000000000 iterations"},
      {"{{ 'a' * 10**10 }}", "creates a value of 10000000000 bytes, elements or digits"},
      {"{{ 'aaa' * 2**17 * 3 }}", "creates a value of 1179648 bytes, elements or digits"},
      {"{{ x.__class__ }}", "refers to \"__class__\""},
      {"{{ x[y ~ 'z'] }}",
       "has \"[y ~ 'z']\", which assembles the name of an attribute when it runs"},
      {"{{ lipsum[x.y] }}", "has \"[x.y]\", which takes the name of an attribute from a message"},
      {"{% set l = [1] %}{% for x in l %}{{ l.append(x) }}{% endfor %}",
       "has a loop over a list that it extends, of infinitely many iterations"},
      {"{% macro m(f) %}{{ f(f) if x }}{% endmacro %}{{ m(m) }}",
       "calls a macro through \"f\", and the macro may call itself"},
      {"{% for x in y recursive %}{{ loop(y) }}{% endfor %}",
       "calls loop() with a value that may not be a part of the loop variable"},
      {"{% include x %}", "has the statement \"include\""},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(kTemplates.MessagesIn(With(test.text)),
                ElementsAre(absl::StrCat("kv[tokenizer.chat_template].value ", test.message)));
  }
  EXPECT_THAT(
      kTemplates.MessagesIn(With("{% macro m() %}{{ m() }}{% endmacro %}")),
      ElementsAre(
          "kv[tokenizer.chat_template].value has the macro \"m\", which always calls itself"));
}

TEST(TemplateChecksTest, Severities) {
  const std::string value = " kv[tokenizer.chat_template].value";
  EXPECT_THAT(kTemplates.In(With("{{ x.__class__ }}"), "safety"),
              ElementsAre("error template-attributes-safe" + value));
  EXPECT_THAT(kTemplates.In(With("{{ x.__class__ }}"), "llama.cpp"), IsEmpty());
  EXPECT_THAT(kTemplates.In(With("{% if x %}")), ElementsAre("warning template-syntax" + value));
  EXPECT_THAT(kTemplates.In(With("{% macro m() %}{{ m() if x }}{% endmacro %}"), "safety"),
              ElementsAre("note template-macros-not-recursive" + value));
}

TEST(TemplateChecksTest, Size) {
  constexpr size_t kMiB = 1 << 20;
  EXPECT_THAT(kTemplates.In(With(std::string(kMiB, 'a'))), IsEmpty());
  EXPECT_THAT(
      kTemplates.MessagesIn(With(std::string(kMiB + 1, 'a'))),
      ElementsAre("kv[tokenizer.chat_template].value is 1048577 bytes long, more than 1 MiB"));
}

TEST(TemplateChecksTest, WhatIsNotSeenIsSaid) {
  std::string many;
  for (int i = 0; i < 1001; ++i) absl::StrAppend(&many, "{% set v", i, "=1 %}");
  const std::string why = ": a chat template has too many variables to follow";
  EXPECT_THAT(kTemplates.NotCheckedIn(With(many)),
              ElementsAre("template-loops-bounded" + why, "template-values-bounded" + why,
                          "template-attributes-safe" + why, "template-macros-end" + why,
                          "template-macros-not-recursive" + why));
  const GgufBuilder deep = With("{{ " + std::string(65, '('));
  EXPECT_EQ(kTemplates.NotCheckedIn(deep, "safety").size(), 6u);
  EXPECT_THAT(kTemplates.MessagesIn(deep),
              ElementsAre("kv[tokenizer.chat_template].value is nested more than 64 levels deep"));
}

TEST(TemplateChecksTest, NamedTemplatesAreChecked) {
  GgufBuilder b;
  b.String("tokenizer.chat_template.rag", "{{ x.__class__ }}");
  b.Key("tokenizer.chat_templates", kArray, Names({"rag"}));
  b.String("tokenizer.chat_template_x", "{{ x.__class__ }}");
  EXPECT_THAT(kTemplates.In(b),
              ElementsAre("error template-attributes-safe kv[tokenizer.chat_template.rag].value"));
}

TEST(TemplateChecksTest, NamesListed) {
  GgufBuilder b;
  b.String("tokenizer.chat_template", "a");
  b.String("tokenizer.chat_template.b", "b");
  EXPECT_THAT(kTemplates.MessagesIn(b),
              ElementsAre("kv[tokenizer.chat_template.b].key has the name \"b\", which is not in "
                          "tokenizer.chat_templates"));
  b.Key("tokenizer.chat_templates", kArray, Names({"b"}));
  EXPECT_THAT(kTemplates.MessagesIn(b), IsEmpty());

  GgufBuilder other;
  other.Key("tokenizer.chat_templates", kArray, Names({"b", "c"}));
  other.String("tokenizer.chat_template.b", "b");
  EXPECT_THAT(
      kTemplates.MessagesIn(other),
      ElementsAre(
          "kv[tokenizer.chat_templates].value[1] is \"c\", but there is no template of that name"));
}

TEST(TemplateChecksTest, OtherTypesAreLeftToTheirRule) {
  GgufBuilder b;
  b.U32("tokenizer.chat_template", 1).U32("tokenizer.chat_templates", 1);
  EXPECT_THAT(kTemplates.In(b), IsEmpty());
}

}  // namespace
}  // namespace gguf
