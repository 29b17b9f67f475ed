// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/escape.h"

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(EscapeTest, HtmlHasNoMarkup) {
  EXPECT_EQ(HtmlText("<b a='1' c=\"2\">&amp;"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
}

TEST(EscapeTest, XmlHasOnlyWhatXmlAllows) {
  EXPECT_EQ(XmlText("a\tb\nc\r<&"), "a\tb\nc\r<&");
  EXPECT_EQ(XmlText(absl::string_view("\0\x01\x1b\x1f", 4)), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(XmlText("\xEF\xBF\xBD\xEF\xBF\xBE\xEF\xBF\xBF"),
            "\uFFFD\uFFFD\uFFFD");  // U+FFFD to U+FFFF.
  EXPECT_EQ(XmlText("\xFF\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(XmlText("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(EscapeTest, MarkdownIsCode) {
  EXPECT_EQ(MarkdownCode("a *b* @c #1 <i>"), "` a *b* @c #1 <i> `");
  EXPECT_EQ(MarkdownCode("x``y`"), "``` x``y` ```");
  EXPECT_EQ(MarkdownCode("a|b\\|c\nd\re"), "` a\\|b\\\\|c d e `");
}

TEST(EscapeTest, GithubSeesOneCommand) {
  EXPECT_EQ(GithubMessage("50%: a,b\r\n::error::"), "50%25: a,b%0D%0A::error::");
  EXPECT_EQ(GithubProperty("50%: a,b\n"), "50%25%3A a%2Cb%0A");
}

TEST(EscapeTest, UrisHaveNoOtherCharacters) {
  EXPECT_EQ(UriPath("a/B-1_.~"), "a/B-1_.~");
  EXPECT_EQ(UriPath("c: \xC3\xA9%?#[\xFF\n"), "c%3A%20%C3%A9%25%3F%23%5B%FF%0A");
}

}  // namespace
}  // namespace gguf
