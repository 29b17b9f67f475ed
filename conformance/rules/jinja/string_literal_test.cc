// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/jinja/string_literal.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

TEST(StringLiteralTest, Escapes) {
  static constexpr struct {
    const char* literal;
    const char* text;
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
      // Too short, which Python refuses.
      {R"('\x5')", "\x05"},
      {R"('\N')", "?"},
      {R"('\N{')", "?{"},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(DecodeString(test.literal), test.text) << test.literal;
  }
}

}  // namespace
}  // namespace gguf::jinja
