// SPDX-License-Identifier: Apache-2.0

#include "parser/core/quote.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(QuoteTest, TerminalControlsAreEscaped) {
  EXPECT_EQ(Quote("blk.0.attn_q.weight"), "\"blk.0.attn_q.weight\"");
  EXPECT_EQ(Quote("\x1b[31mred"), "\"\\x1b[31mred\"");
  EXPECT_EQ(Quote("a\nb\tc\rd"), "\"a\\nb\\tc\\rd\"");
  EXPECT_EQ(Quote("a\xE2\x80\xAEz"), "\"a\\u{202e}z\"");
  EXPECT_EQ(Quote("\xC2\x9B"), "\"\\xc2\\x9b\"");
  EXPECT_EQ(Quote("\xFF\xFE"), "\"\\xff\\xfe\"");
  EXPECT_EQ(Quote("say \"hi\" \\o/"), "\"say \\\"hi\\\" \\\\o/\"");
  EXPECT_EQ(Quote(absl::string_view("a\0b", 3)), "\"a\\x00b\"");
  EXPECT_EQ(Quote("gr\xC3\xBC\xC3\x9F"), "\"gr\xC3\xBC\xC3\x9F\"");
}

TEST(QuoteTest, CommandsOfCiSystemsAreEscaped) {
  EXPECT_EQ(Quote("a##[error]b"), "\"a#\\x23[error]b\"");
  EXPECT_EQ(Quote("##VSO[task.x]"), "\"#\\x23VSO[task.x]\"");
  EXPECT_EQ(Quote("a # b, [c]"), "\"a # b, [c]\"");
  EXPECT_EQ(Visible(" ::error::a::b"), " \\x3a:error::a::b");
  EXPECT_EQ(VisibleLines("std::x\n ::warning::"), "std::x\n \\x3a:warning::");
}

TEST(QuoteTest, LongTextIsCutAtACharacter) {
  EXPECT_EQ(Escape("abcdef", 6), "abcdef");
  EXPECT_EQ(Escape("abcdefg", 6), "abcdef... (7 bytes)");
  EXPECT_EQ(Escape("abcde\xC3\xBC", 6), "abcde... (7 bytes)");
  EXPECT_EQ(Escape(std::string(1000000, 'x'), 3), "xxx... (1000000 bytes)");
}

TEST(QuoteTest, VisibleTextIsEscapedButForItsOwnEscapes) {
  EXPECT_EQ(Visible("say \"hi\" \\o/\n\x1b\xE2\x80\xAE\xFF"),
            "say \"hi\" \\o/\\n\\x1b\\u{202e}\\xff");
  EXPECT_EQ(VisibleLines("a\n\tb\r\n"), "a\n\tb\\r\n");
  EXPECT_EQ(Visible(std::string(1000, 'x')), std::string(1000, 'x'));
}

}  // namespace
}  // namespace gguf
