// SPDX-License-Identifier: Apache-2.0

#include "conformance/json/json_text.h"

#include <sstream>

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
  EXPECT_EQ(JsonString("##[x] ##vso[y] # a"), "\"#\\u0023[x] #\\u0023vso[y] # a\"");
  EXPECT_EQ(JsonString("\xE4\xB8\xAD"), "\"\xE4\xB8\xAD\"");
}

TEST(JsonTextTest, DocumentsKeepTheirLines) {
  EXPECT_EQ(JsonText({{"a", "\xE2\x80\xAE"}}, 2), "{\n  \"a\": \"\\u202e\"\n}");
}

TEST(JsonStreamTest, WritesWhatTheLibraryWouldWrite) {
  const Json items = {1, {{"k", {1, 2}}}, Json::object(), Json::array(), "x\n"};
  const Json document = {{"a", 1}, {"items", items}, {"none", Json::array()}, {"z", nullptr}};
  std::ostringstream out;
  JsonStream stream(out);
  stream.BeginObject();
  stream.Members({{"a", 1}});
  stream.Key("items");
  stream.BeginArray();
  for (const Json& item : items) stream.Value(item);
  stream.End();
  stream.Key("none");
  stream.BeginArray();
  stream.End();
  stream.Members({{"z", nullptr}});
  stream.End();
  EXPECT_EQ(out.str(), document.dump(2) + "\n");
}

TEST(JsonStreamTest, NoTextIsRaw) {
  const Json hostile = {{"\x1b", "\x1b[31m\xE2\x80\xAE\xFF\xC2\x9B"}};
  EXPECT_EQ(JsonText(hostile), R"({"\u001b":"\u001b[31m\u202e)"
                               "\xEF\xBF\xBD"
                               R"(\u009b"})");
  std::ostringstream out;
  JsonStream stream(out);
  stream.BeginArray();
  stream.Value(hostile);
  stream.End();
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
}

}  // namespace

}  // namespace gguf
