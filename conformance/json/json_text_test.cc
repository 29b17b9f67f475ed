// SPDX-License-Identifier: Apache-2.0

#include "conformance/json/json_text.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(JsonTextTest, JsonStringsShowNothingThatActs) {
  EXPECT_EQ(JsonString("plain"), "\"plain\"");
  EXPECT_EQ(JsonString("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(JsonString("\x1b[0m\n"), "\"\\u001b[0m\\u000a\"");
  EXPECT_EQ(JsonString("\xE2\x80\xAE"), "\"\\u202e\"");
  EXPECT_EQ(JsonString("\xC2\x9B"), "\"\\u009b\"");
  EXPECT_EQ(JsonString("\xF3\xA0\x81\x81"), "\"\\udb40\\udc41\"");
  EXPECT_EQ(JsonString("##[x] ##vso[y] # a"),
            "\"#\\u0023[x] #\\u0023vso[y] # a\"");
  EXPECT_EQ(JsonString("\xE4\xB8\xAD"), "\"\xE4\xB8\xAD\"");
}

TEST(JsonTextTest, DocumentsKeepTheirLines) {
  EXPECT_EQ(JsonText({{"a", "\xE2\x80\xAE"}}, 2), "{\n  \"a\": \"\\u202e\"\n}");
}

}  // namespace
}  // namespace gguf
