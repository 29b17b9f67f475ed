// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/string_literal.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

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
      {R"('\N{SNOWMAN}\u2603\xe9')", "???"},
      {R"('\q')", "\\q"},
      {"'a\\\nb'", "ab"},
      {R"('\x5')", "\x05", true},
      {R"('\xZZ')", std::string_view("\0ZZ", 3), true},
      {R"('\u005')", "\x05", true},
      {R"('\U00110000')", "?", true},
      {R"('\N')", "?", true},
      {R"('\N{')", "?{", true},
  };
  for (const auto& test : kCases) {
    bool is_wrong = false;
    EXPECT_EQ(DecodeString(test.literal, &is_wrong), test.text) << test.literal;
    EXPECT_EQ(is_wrong, test.is_wrong) << test.literal;
  }
}

}  // namespace
}  // namespace gguf::jinja
