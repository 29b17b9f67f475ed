// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/metadata/text_formats.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(TextFormatsTest, Url) {
  for (const char* text : {"https://huggingface.co/org/model", "http://example.org",
                           "ftp://ftp.example.org/x", "https://example.org?a=b#c",
                           "HTTPS://EXAMPLE.ORG", "git+ssh://host/x", "https://例え.jp/ü"}) {
    EXPECT_TRUE(IsUrl(text)) << text;
  }
  for (const char* text :
       {"", "example.org", "org/model", "https://", "https:///path", "https://a b",
        "://example.org", "1http://example.org", "https:/example.org", "https://example.org/\n",
        "see https://a.org", "<https://example.org>", "mailto:me@example.org"}) {
    EXPECT_FALSE(IsUrl(text)) << text;
  }
  EXPECT_TRUE(IsUrl("https://" + std::string(1 << 20, 'a')));
}

TEST(TextFormatsTest, Doi) {
  for (const char* text : {"10.1000/182", "10.57967/hf/1234", "10.1000.10/123456", "doi:10.1000/1",
                           "https://doi.org/10.1000/182", "DOI:10.1000/182",
                           "http://dx.doi.org/10.1000/182", "10.1002/(SICI)1097<1::AID>3.0"}) {
    EXPECT_TRUE(IsDoi(text)) << text;
  }
  for (const char* text : {"", "10.1000", "10.1000/", "11.1000/182", "10.10/1", "10.1000/a b",
                           "10.x/1", "https://example.org/10.1000/182", "10.1000./1"}) {
    EXPECT_FALSE(IsDoi(text)) << text;
  }
}

TEST(TextFormatsTest, Uuid) {
  EXPECT_TRUE(IsUuid("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
  EXPECT_TRUE(IsUuid("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"));
  EXPECT_TRUE(IsUuid("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
  for (const char* text :
       {"", "f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf67", "f81d4fae-7dec-11d0-a76-500a0c91e6bf6"}) {
    EXPECT_FALSE(IsUuid(text)) << text;
  }
}

TEST(TextFormatsTest, Language) {
  for (const char* text : {"en", "de", "zh", "la", "yue", "gsw", "haw", "tlh"}) {
    EXPECT_TRUE(IsLanguage(text)) << text;
  }
  for (const char* text :
       {"", "e", "EN", "eng", "ger", "deu", "en-US", "xx", "English", "zzz", "e\0n", "english"}) {
    EXPECT_FALSE(IsLanguage(text)) << text;
  }
  EXPECT_EQ(TwoLetterLanguage("eng"), "en");
  EXPECT_EQ(TwoLetterLanguage("DEU"), "de");
  EXPECT_EQ(TwoLetterLanguage("ger"), "de");
  EXPECT_EQ(TwoLetterLanguage("EN"), "en");
  EXPECT_EQ(TwoLetterLanguage("yue"), "");
  EXPECT_EQ(TwoLetterLanguage("xx"), "");
  EXPECT_EQ(TwoLetterLanguage("English"), "");
}

std::string Label(absl::string_view text) {
  const auto label = ParseSizeLabel(text);
  if (!label) return "none";
  return absl::StrCat(label->experts, " ", label->parameters);
}

TEST(TextFormatsTest, SizeLabel) {
  EXPECT_EQ(Label("7B"), "1 7e+09");
  EXPECT_EQ(Label("3.8B"), "1 3.8e+09");
  EXPECT_EQ(Label("8x7B"), "8 7e+09");
  EXPECT_EQ(Label("1K"), "1 1000");
  EXPECT_EQ(Label("135m"), "1 1.35e+08");
  EXPECT_EQ(Label("2T"), "1 2e+12");
  EXPECT_EQ(Label("1Q"), "1 1e+15");
  EXPECT_EQ(Label("30B-A3B"), "1 3e+10");
  EXPECT_EQ(Label("3.8B-ContextLength4k"), "1 3.8e+09");
  for (const char* text : {"", "7", "B", "large", "7X", "x7B", "8x", "7.B", ".7B", "7B ", "7B-",
                           "7 B", "99999999999B", "7BB"}) {
    EXPECT_EQ(Label(text), "none") << text;
  }
}

std::string Fault(absl::string_view text) {
  const SpdxFault fault = CheckSpdxExpression(text);
  return fault.why == nullptr ? "" : absl::StrCat(fault.word, ": ", fault.why);
}

TEST(SpdxExpressionTest, Right) {
  for (const char* text :
       {"MIT", "apache-2.0", "MIT OR Apache-2.0", "mit or apache-2.0",
        "GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0+", "GPL-3.0", "(MIT)",
        "((MIT) AND (BSD-3-Clause OR ISC))", " MIT ", "LicenseRef-llama3",
        "DocumentRef-x.y:LicenseRef-z", "cc-by-nc-4.0", "LGPL-2.1-only OR MIT AND BSD-3-Clause",
        "GPL-2.0-only WITH Classpath-exception-2.0 AND MIT",
        "(MIT OR GPL-2.0-only WITH GCC-exception-3.1)", "MIT WITH AdditionRef-x"}) {
    EXPECT_EQ(Fault(text), "") << text;
  }
}

TEST(SpdxExpressionTest, Wrong) {
  const std::string no_licence = ": is not a licence of the SPDX list";
  const std::string no_operator = ": stands where AND, OR or WITH is expected";
  EXPECT_EQ(Fault(""), ": a licence is missing at the end");
  EXPECT_EQ(Fault("  "), ": a licence is missing at the end");
  EXPECT_EQ(Fault("other"), "other" + no_licence);
  EXPECT_EQ(Fault("llama3"), "llama3" + no_licence);
  EXPECT_EQ(Fault("Apache 2.0"), "Apache" + no_licence);
  EXPECT_EQ(Fault("MIT Apache-2.0"), "Apache-2.0" + no_operator);
  EXPECT_EQ(Fault("MIT,Apache-2.0"), "MIT,Apache-2.0" + no_licence);
  EXPECT_EQ(Fault("MIT OR"), ": a licence is missing at the end");
  EXPECT_EQ(Fault("OR MIT"), "OR" + no_licence);
  EXPECT_EQ(Fault("MIT AND OR ISC"), "OR" + no_licence);
  EXPECT_EQ(Fault("(MIT"), ": a parenthesis is not closed");
  EXPECT_EQ(Fault("MIT)"), ")" + no_operator);
  EXPECT_EQ(Fault("()"), ")" + no_licence);
  EXPECT_EQ(Fault("MIT (ISC)"), "(" + no_operator);
  EXPECT_EQ(Fault("(MIT) WITH GCC-exception-3.1"), "WITH" + no_operator);
  EXPECT_EQ(Fault("MIT WITH"), ": an exception is missing at the end");
  EXPECT_EQ(Fault("MIT WITH ISC"), "ISC: is not an exception of the SPDX list");
  EXPECT_EQ(Fault("GCC-exception-3.1"), "GCC-exception-3.1" + no_licence);
  EXPECT_EQ(Fault("LicenseRef-"), "LicenseRef-" + no_licence);
  EXPECT_EQ(Fault("LicenseRef-a_b"), "LicenseRef-a_b" + no_licence);
  EXPECT_EQ(Fault("DocumentRef-x"), "DocumentRef-x" + no_licence);
  EXPECT_EQ(Fault("+"), "+" + no_licence);
  EXPECT_EQ(Fault("MIT +"), "+" + no_operator);
  EXPECT_EQ(Fault(absl::string_view("MIT\0", 4)), std::string("MIT\0", 4) + no_licence);
}

TEST(SpdxExpressionTest, AMillionParenthesesTakeNoStack) {
  const std::string open(1000000, '('), close(1000000, ')');
  EXPECT_EQ(Fault(open + "MIT" + close), "");
  EXPECT_EQ(Fault(open), ": a licence is missing at the end");
  EXPECT_EQ(Fault("MIT" + close), "): stands where AND, OR or WITH is expected");
}

}  // namespace
}  // namespace gguf
