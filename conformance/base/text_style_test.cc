// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/text_style.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(TextStyleTest, LinesBreakAtSpaces) {
  EXPECT_EQ(Wrap("one two three", 0, 2), "one two three");
  EXPECT_EQ(Wrap("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(Wrap("  one two three four", 9, 4), "  one two\n    three\n    four");
  EXPECT_EQ(Wrap("averyveryverylongword next", 8, 2), "averyveryverylongword\n  next");
  EXPECT_EQ(Wrap("a label: text", 5, 2, 9), "a label:\n  text");
  EXPECT_EQ(Wrap("one  two three", 9, 2), "one  two\n  three");
  EXPECT_EQ(Wrap("    averyveryverylongword", 8, 2), "    averyveryverylongword");
}

TEST(TextStyleTest, NoLineBeginsWithACommandOfGithub) {
  EXPECT_EQ(Wrap("one ::two three", 5, 2), "one ::two\n  three");
  EXPECT_EQ(Wrap("one ::two ::three", 5, 2), "one ::two ::three");
}

}  // namespace
}  // namespace gguf
