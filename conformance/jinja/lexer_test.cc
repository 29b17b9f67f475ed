// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/lexer.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

using testing::ElementsAre;

std::vector<Token> Tokens(absl::string_view text) {
  Lexer lexer(text);
  std::vector<Token> tokens;
  for (Token token = lexer.Next(); token.kind != Token::kEnd; token = lexer.Next()) {
    tokens.push_back(token);
  }
  return tokens;
}

std::vector<std::string> Words(absl::string_view text) {
  static constexpr const char* kKinds[] = {"text",   "comment", "raw",      "begin",
                                           "end",    "begin",   "end",      "name",
                                           "number", "string",  "operator", "error"};
  std::vector<std::string> words;
  for (const Token& token : Tokens(text)) {
    words.push_back(absl::StrCat(kKinds[token.kind], " ", token.text));
  }
  return words;
}

// Returns the kinds and texts of the tokens inside one tag.
std::vector<std::string> InTag(absl::string_view inside) {
  std::vector<std::string> words = Words(absl::StrCat("{{", inside, "}}"));
  EXPECT_EQ(words.front(), "begin {{");
  EXPECT_EQ(words.back(), "end }}");
  return {words.begin() + 1, words.end() - 1};
}

// Tokens lie in the text, in order, with white space between them, and none is
// empty.
void ExpectTokensCover(absl::string_view text) {
  size_t at = 0;
  Lexer lexer(text);
  for (;;) {
    const Token token = lexer.Next();
    ASSERT_GE(token.offset, at);
    ASSERT_LE(token.offset + token.text.size(), text.size());
    ASSERT_EQ(token.text.data(), text.data() + token.offset);
    if (token.kind == Token::kEnd && lexer.too_deep()) break;
    for (const char c : text.substr(at, token.offset - at)) {
      ASSERT_TRUE(absl::ascii_isspace(c)) << text;
    }
    at = token.offset + token.text.size();
    if (token.kind == Token::kEnd) break;
    ASSERT_FALSE(token.text.empty());
  }
  EXPECT_TRUE(lexer.too_deep() || at == text.size()) << text;
  EXPECT_EQ(lexer.Next().kind, Token::kEnd);
}

TEST(LexerTest, TextAndTags) {
  EXPECT_THAT(Words("a {b} {{ c }} {% if d -%} {#- e #}"),
              ElementsAre("text a {b} ", "begin {{", "name c", "end }}", "text  ", "begin {%",
                          "name if", "name d", "end -%}", "text  ", "comment {#- e #}"));
  EXPECT_THAT(Words("{{- a -}}{%+ b +%}"),
              ElementsAre("begin {{-", "name a", "end -}}", "begin {%+", "name b", "end +%}"));
  EXPECT_THAT(Words("{"), ElementsAre("text {"));
  EXPECT_TRUE(Words("").empty());
}

TEST(LexerTest, Operators) {
  EXPECT_THAT(InTag("a//b**c==d!=e>=f<=g"),
              ElementsAre("name a", "operator //", "name b", "operator **", "name c",
                          "operator ==", "name d", "operator !=", "name e", "operator >=", "name f",
                          "operator <=", "name g"));
  EXPECT_THAT(InTag("a|b.c~d%e"),
              ElementsAre("name a", "operator |", "name b", "operator .", "name c", "operator ~",
                          "name d", "operator %", "name e"));
}

TEST(LexerTest, Numbers) {
  EXPECT_THAT(InTag("1_000 0x1F 0b1_0 0o17 1.5 2e-3 1.5e+3 10_0.0_1"),
              ElementsAre("number 1_000", "number 0x1F", "number 0b1_0", "number 0o17",
                          "number 1.5", "number 2e-3", "number 1.5e+3", "number 10_0.0_1"));
  EXPECT_THAT(InTag("1."), ElementsAre("number 1", "operator ."));
  EXPECT_THAT(InTag("1e"), ElementsAre("number 1", "name e"));
  EXPECT_THAT(InTag("0x"), ElementsAre("number 0", "name x"));
  EXPECT_THAT(InTag("a.0.1"),
              ElementsAre("name a", "operator .", "number 0", "operator .", "number 1"));
}

TEST(LexerTest, Strings) {
  EXPECT_THAT(InTag(R"('a' "b" '\'' "\\" '}}' '{%')"),
              ElementsAre("string 'a'", "string \"b\"", R"(string '\'')", R"(string "\\")",
                          "string '}}'", "string '{%'"));
}

TEST(LexerTest, BracesOfDictionariesEndNoTag) {
  EXPECT_THAT(InTag("{'a': {}}"), ElementsAre("operator {", "string 'a'", "operator :",
                                              "operator {", "operator }", "operator }"));
  EXPECT_THAT(Words("{% set a = { %}"), ElementsAre("begin {%", "name set", "name a", "operator =",
                                                    "operator {", "operator %", "operator }"));
}

TEST(LexerTest, RawBlocks) {
  EXPECT_THAT(Words("{% raw %}{{ a }}{%- endraw -%}b"),
              ElementsAre("raw {% raw %}", "text {{ a }}", "raw {%- endraw -%}", "text b"));
  EXPECT_THAT(Words("{%raw%}{%endraw%}"), ElementsAre("raw {%raw%}", "raw {%endraw%}"));
}

// The lexer continues after an error.
TEST(LexerTest, Errors) {
  EXPECT_THAT(InTag("a ! b"), ElementsAre("name a", "error !", "name b"));
  EXPECT_THAT(InTag("a) b"), ElementsAre("name a", "error )", "name b"));
  EXPECT_THAT(Words("{{ 'a }}"), ElementsAre("begin {{", "error '", "name a", "end }}"));
  EXPECT_THAT(Words("{# {{ a }}"),
              ElementsAre("error {#", "text  ", "begin {{", "name a", "end }}"));
  EXPECT_THAT(Words("{#}"), ElementsAre("error {#", "text }"));
  EXPECT_THAT(Words("{% raw %}{{ a }}"),
              ElementsAre("error {% raw %}", "begin {{", "name a", "end }}"));
}

TEST(LexerTest, ATagThatEndsInABracketSaysSo) {
  const std::vector<Token> tokens = Tokens("{{ (a }} b");
  ASSERT_EQ(tokens.size(), 5u);
  EXPECT_EQ(tokens[3].kind, Token::kEndVariable);
  EXPECT_STREQ(tokens[3].why, "ends a tag with an unclosed bracket");
  EXPECT_EQ(tokens[4].text, " b");
}

TEST(LexerTest, DeepBracketsEndIt) {
  for (const size_t depth : {kDeepestNesting, kDeepestNesting + 1}) {
    const std::string text = absl::StrCat("{{", std::string(depth, '('));
    Lexer lexer(text);
    size_t count = 0;
    while (lexer.Next().kind != Token::kEnd) ++count;
    EXPECT_EQ(count, 1 + kDeepestNesting);
    EXPECT_EQ(lexer.too_deep(), depth > kDeepestNesting);
  }
}

TEST(LexerTest, EachPrefixIsCovered) {
  const std::string text =
      R"({%- macro f(a, b="x\"") -%}{# c #}{{ {'k': [1.5, 0x_f]}[a] | e }}
      {% raw %} {{ }} {% endraw %}{% for i in range(3) +%} ! {%endfor%})";
  for (size_t n = 0; n <= text.size(); ++n) {
    ExpectTokensCover(absl::string_view(text).substr(0, n));
  }
}

TEST(LexerTest, RandomTextIsCovered) {
  static constexpr absl::string_view kPieces[] = {
      "{{", "}}", "{%", "%}", "{#", "#}", "-", "+",    "'",       "\"",     "\\",
      "(",  ")",  "[",  "]",  "{",  "}",  " ", "\n",   "raw",     "endraw", "a",
      "_",  "1",  ".",  "e",  "0x", "|",  "!", "\xff", "\xc3\xa9"};
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 24; n > 0; --n) {
      absl::StrAppend(&text, kPieces[random() % std::size(kPieces)]);
    }
    ExpectTokensCover(text);
  }
}

// A missing end is searched for once: a quadratic lexer takes minutes.
TEST(LexerTest, UnclosedPartsTakeLinearTime) {
  for (const absl::string_view part : {"{#", "{{ \" \\\" ", "{% raw %}", "{% endraw", "{{ 1_ ",
                                       "{%   ", "{", "\\'", "\\\"", "'\\N{"}) {
    for (std::string text : {"", "{{"}) {
      while (text.size() < 1000000) absl::StrAppend(&text, part);
      EXPECT_LE(Tokens(text).size(), text.size());
    }
  }
}

TEST(StringLiteralTest, Escapes) {
  static constexpr struct {
    const char* literal;
    std::string_view text;
    bool is_wrong = false;
  } kCases[] = {
      {R"('')", ""},
      {R"("a'b")", "a'b"},
      {R"('\n\t\\\'\"')", "\n\t\\'\""},
      {R"('\x5f\x5F')", "__"},
      {R"('\137\137x')", "__x"},
      {R"('\u005f\U0000005f')", "__"},
      {R"('\N{LOW LINE}\N{low line}')", "__"},
      {R"('\N{LATIN SMALL LETTER C}\N{LATIN CAPITAL LETTER C}')", "cC"},
      {R"('\N{SNOWMAN}\u2603\xe9\U0001F600')", "\ufffd\u2603\u00e9\U0001F600"},
      {R"('\q')", "\\q"},
      {"'a\\\nb'", "ab"},
      {R"('\x5')", "\x05", true},
      {R"('\xZZ')", std::string_view("\0ZZ", 3), true},
      {R"('\u005')", "\x05", true},
      {R"('\U00110000')", "\ufffd", true},
      {R"('\N')", "\ufffd", true},
      {R"('\N{')", "\ufffd{", true},
  };
  for (const auto& test : kCases) {
    bool is_wrong = false;
    EXPECT_EQ(DecodeString(test.literal, &is_wrong), test.text) << test.literal;
    EXPECT_EQ(is_wrong, test.is_wrong) << test.literal;
  }
}

}  // namespace

}  // namespace gguf::jinja
