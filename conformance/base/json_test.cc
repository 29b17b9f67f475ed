// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/json.h"

#include <optional>
#include <sstream>
#include <string>
#include <vector>

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
enum class Colour { kRed, kBlue };

const char* JsonName(Colour colour) { return colour == Colour::kRed ? "red" : "blue"; }

bool FromJsonName(absl::string_view name, Colour* colour) {
  *colour = name == "red" ? Colour::kRed : Colour::kBlue;
  return name == JsonName(*colour);
}

struct Inner {
  uint64_t number = 0;
};

template <class Visitor>
void VisitMembers(Visitor& visit, Inner& inner) {
  visit("number", inner.number);
  visit.Require(inner.number < 10, "number", "is too large");
}

struct Outer {
  std::string path;
  std::string title;
  Colour colour = Colour::kRed;
  std::optional<uint32_t> size;
  std::vector<Inner> list;
  std::string note;
  TextMap texts;
};

template <class Visitor>
void VisitMembers(Visitor& visit, Outer& outer) {
  EncodedText path(outer.path);
  visit("path", path.shown);
  visit.Maybe("path_hex", path.hex);
  visit("title", Printable(outer.title));
  visit("colour", outer.colour);
  visit("size", outer.size);
  visit.Written("twice", 2 * outer.size.value_or(0));
  visit("list", outer.list);
  visit.Maybe("note", outer.note);
  visit("texts", outer.texts);
  outer.path = path.Decoded(visit, "path_hex");
}

namespace {

const Outer kFull = {"a\xFF", "T", Colour::kBlue, 7, {{1}, {2}}, "n", {{"k", "v"}}};

TEST(RecordTest, WhatIsWrittenReadsAgain) {
  const Json json = RecordWriter::Write(kFull);
  EXPECT_EQ(JsonText(json), R"({"path":"a\\xff","path_hex":"61ff","title":"T","colour":"blue",)"
                            R"("size":7,"twice":14,"list":[{"number":1},{"number":2}],)"
                            R"("note":"n","texts":{"k":"v"}})");
  Outer read;
  EXPECT_TRUE(RecordReader::Read(json, &read).ok());
  EXPECT_EQ(read.path, kFull.path);
  EXPECT_EQ(RecordWriter::Write(read), json);
}

TEST(RecordTest, WhatIsEmptyIsNullOrLeftOut) {
  const Json json = RecordWriter::Write(Outer());
  EXPECT_EQ(JsonText(json), R"({"path":"","title":"","colour":"red",)"
                            R"("size":null,"twice":0,"list":[],"texts":{}})");
  Outer read = kFull;
  EXPECT_TRUE(RecordReader::Read(json, &read).ok());
  EXPECT_FALSE(read.size.has_value());
}

TEST(RecordTest, ErrorsNameTheMember) {
  const struct {
    const char* patch;
    const char* error;
  } cases[] = {
      {R"({"op":"remove","path":"/size"})", "size is missing"},
      {R"({"op":"replace","path":"/size","value":4294967296})", "size is too large"},
      {R"({"op":"replace","path":"/size","value":1e9})", "size is not an unsigned integer"},
      {R"({"op":"replace","path":"/title","value":"\u202e"})",
       "title contains a forbidden character"},
      {R"({"op":"replace","path":"/colour","value":"green"})",
       "colour is \"green\", which is unknown"},
      {R"({"op":"replace","path":"/list/1/number","value":"2"})",
       "list[1].number is not an unsigned integer"},
      {R"({"op":"replace","path":"/list/1/number","value":10})", "list[1].number is too large"},
      {R"({"op":"replace","path":"/list/0","value":[]})", "list[0] is not an object"},
      {R"({"op":"replace","path":"/texts/k","value":1})", "texts.k is not a string"},
      {R"({"op":"replace","path":"/path_hex","value":"6"})", "path_hex is not hex"},
      {R"({"op":"replace","path":"","value":1})", "is not an object"},
  };
  for (const auto& [patch, error] : cases) {
    const Json json = RecordWriter::Write(kFull).patch(Json::array({Json::parse(patch)}));
    Outer read;
    EXPECT_EQ(std::string(RecordReader::Read(json, &read).message()), error);
  }
}

}  // namespace
namespace {}  // namespace

}  // namespace gguf
