// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/protocol/protocol.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

// Returns what is wrong with a line about a file, or an empty string.
std::string Wrong(const std::string& line) {
  const std::string message(AnswerReader().Add(line).message());
  const size_t after_the_line = message.find("\": ");
  return after_the_line == std::string::npos ? message : message.substr(after_the_line + 3);
}

std::string WrongGreeting(const std::string& line) {
  return std::string(ParseGreeting(line).status().message());
}

TEST(ProtocolTest, AGreetingIsReadAndWritten) {
  const std::string line = "@gguf-testee 1 toy 0.3-beta kv,data,lossy-utf8";
  const auto greeting = ParseGreeting(line);
  ASSERT_TRUE(greeting.ok()) << greeting.status();
  EXPECT_EQ(greeting->name, "toy");
  EXPECT_EQ(greeting->version, "0.3-beta");
  EXPECT_TRUE(greeting->caps.kv && greeting->caps.data);
  EXPECT_FALSE(greeting->caps.tensors || greeting->caps.deq);
  EXPECT_EQ(greeting->caps.CapNames(), (std::vector<std::string>{"kv", "data"}));
  EXPECT_EQ(greeting->caps.QuirkNames(), std::vector<std::string>{"lossy-utf8"});
  EXPECT_EQ(ToLine(*greeting), line);
  const std::string none = "@gguf-testee 1 toy 1 -";
  EXPECT_EQ(ToLine(ParseGreeting(none).value()), none);
  EXPECT_TRUE(ParseCaps("ancestors").value().legacy);  // Its old name.
}

TEST(ProtocolTest, AWrongGreetingSaysWhatShouldBe) {
  EXPECT_EQ(WrongGreeting("@hello"),
            "the line \"@hello\": the first line of the protocol should be @gguf-testee 1 NAME "
            "VERSION CAPABILITIES");
  EXPECT_EQ(WrongGreeting("@gguf-testee 2 toy 1 kv"),
            "the line \"@gguf-testee 2 toy 1 kv\": unsupported protocol version \"2\": expected 1");
  EXPECT_EQ(WrongGreeting("@gguf-testee 1 toy"),
            "the line \"@gguf-testee 1 toy\": expected a name and a version, without spaces");
  EXPECT_EQ(WrongGreeting("@gguf-testee 1 toy 1 kv tensors"),
            "the line \"@gguf-testee 1 toy 1 kv tensors\": unexpected text after the capabilities; "
            "separate them by commas, not spaces");
  EXPECT_EQ(WrongGreeting("@gguf-testee 1 toy 1 kv,tensor"),
            "the line \"@gguf-testee 1 toy 1 kv,tensor\": \"tensor\" is not a capability or quirk: "
            "expected kv tensors data deq models legacy untyped unordered nan-canon lossy-utf8 "
            "meta-only, or - for none");
}

TEST(ProtocolTest, AnAnswerIsReadAndWritten) {
  const std::string lines =
      "@kv 61 u8 255\n"
      "@kv - i64 -9223372036854775808\n"
      "@kv 62 f64 7ff8000000000000\n"
      "@kv 63 str -\n"
      "@kv 64 arr arr 2 u32 1 7 u32 2 8 9\n"
      "@kv 65 arr arr 2 arr 0 str 1 ff00\n"
      "@kv 66 arr bool 2 1 255\n"
      "@t 77 8 4294967296 2 32 18446744073709551615\n"
      "@t - 0 0 0\n"
      "@d 77 00ff\n"
      "@q 77 3f800000 ffffffff\n"
      "@q 78\n"
      "@reject some-class a text, of words\n";
  AnswerReader reader;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    EXPECT_FALSE(reader.done());
    ASSERT_TRUE(reader.Add("log " + lines).ok());
    const absl::Status added = reader.Add(lines.substr(begin, end - begin));
    ASSERT_TRUE(added.ok()) << added;
    begin = end + 1;
  }
  EXPECT_TRUE(reader.done());
  const Answer answer = reader.Take();
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(answer.kv[1].key, "");
  EXPECT_EQ(answer.kv[4].value, "arr arr 2 u32 1 7 u32 2 8 9");
  EXPECT_EQ(answer.tensors[0].offset, uint64_t{1} << 32);
  EXPECT_EQ(answer.tensors[0].dims[1], ~uint64_t{0});
  EXPECT_EQ(answer.data[0].bytes, std::string("\0\xff", 2));
  EXPECT_EQ(answer.weights[0].bits[1], 0xffffffff);
  EXPECT_EQ(answer.verdict, AnswerVerdict::kReject);
  EXPECT_EQ(answer.reject_class, "some-class");
  EXPECT_EQ(answer.text, "a text, of words");
  EXPECT_EQ(ToLines(answer), lines);
}

TEST(ProtocolTest, AWrongLineSaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"@", "lines begin with @kv, @t, @d, @q, @accept, @reject or @skip"},
      {"@kv 6 u8 1", "the key is not in hex"},
      {"@kv 6A u8 1", "the key is not in hex"},
      {"@kv  61 u8 1", "the key is not in hex"},
      {"@kv 61 uint8 1", "\"uint8\" is not a value type"},
      {"@kv 61", "\"\" is not a value type"},
      {"@kv 61 u8", "the line ends where a u8 was expected"},
      {"@kv 61 u8 256", "\"256\" is not a valid u8: expected a decimal number"},
      {"@kv 61 u8 01", "\"01\" is not a valid u8: expected a decimal number"},
      {"@kv 61 i8 128", "\"128\" is not a valid i8: expected a decimal number"},
      {"@kv 61 i8 -129", "\"-129\" is not a valid i8: expected a decimal number"},
      {"@kv 61 bool true", "\"true\" is not a valid bool: expected a decimal number"},
      {"@kv 61 u64 18446744073709551616",
       "\"18446744073709551616\" is not a valid u64: expected a decimal number"},
      {"@kv 61 f32 3F800000",
       "\"3F800000\" is not a valid f32: expected its bits as 8 lower-case hex digits"},
      {"@kv 61 str text",
       "\"text\" is not a valid str: expected its bytes in lower-case hex, or - for none"},
      {"@kv 61 u8 1 ", "unexpected text after the value: \"\""},
      {"@kv 61 arr u8 3 1 2", "the line ends where a u8 was expected"},
      {"@kv 61 arr u8 1 1 2", "unexpected text after the value: \"2\""},
      {"@kv 61 arr 7 1 2", "\"7\" is not an element type"},
      {"@kv 61 arr arr 1", "\"\" is not an element type"},
      {"@kv 61 arr u8 -1", "\"-1\" is not a number of elements"},
      {"@t 77 4294967296 0 0", "the type is not a 32-bit number"},
      {"@t 77 0 x 0", "the offset is not a 64-bit number"},
      {"@t 77 0 0", "the number of dimensions is not a number"},
      {"@t 77 0 0 2 1", "it announces 2 dimensions and has 1"},
      {"@t 77 0 0 1 1 1", "it announces 1 dimensions and has 2"},
      {"@t 77 0 0 1 -1", "a dimension is not a 64-bit number"},
      {"@d 77", "the data is not in hex"},
      {"@d 77 00 00", "unexpected text after the data"},
      {"@q 77 3f80000", "a weight is not 8 lower-case hex digits"},
      {"@accept it", "unexpected text after @accept"},
      {"@reject", "missing class, such as syntax"},
  };
  for (const auto& [line, why] : lines) EXPECT_EQ(Wrong(line), why) << line;
}

TEST(ProtocolTest, NothingFollowsAVerdict) {
  AnswerReader reader;
  ASSERT_TRUE(reader.Add("@accept").ok());
  EXPECT_TRUE(reader.Add("a line of the log").ok());
  EXPECT_EQ(reader.Add("@reject syntax late").message(),
            "the line \"@reject syntax late\": unexpected line after the verdict");
}

TEST(ProtocolTest, LinesAndAnswersAreBounded) {
  const std::string longest = "@d 77 " + std::string(kMaxLine - 6, '0');
  EXPECT_EQ(Wrong(longest), "");
  EXPECT_EQ(Wrong(longest + "00"), "longer than 8388608 bytes; omit such lines");
  AnswerReader reader;
  absl::Status added;
  size_t lines = 0;
  for (; added.ok(); ++lines) added = reader.Add(longest);
  EXPECT_EQ(lines, kMaxAnswer / kMaxLine);
  EXPECT_EQ(added.message(), "more than 268435456 bytes of lines about one file");
}

TEST(ProtocolTest, LinesThatAreTooLongAreNotWritten) {
  Answer answer;
  answer.data = {{"w", std::string((kMaxLine - 6) / 2, 'x')},
                 {"v", std::string((kMaxLine - 6) / 2 + 1, 'x')}};
  answer.kv = {{"k", "str " + std::string(kMaxLine, 'a')}};
  answer.weights = {{"w", std::vector<uint32_t>(kMaxLine / 9 + 1)}};
  EXPECT_EQ(LineSize(answer.data[0]), kMaxLine);
  EXPECT_EQ(ToLines(answer).size(), kMaxLine + 1);
}

TEST(ProtocolTest, DeepNestingTakesNoStack) {
  std::string line = "@kv 61 arr";
  for (int i = 0; i < 1000000; ++i) line += " arr 1";
  EXPECT_EQ(Wrong(line), "\"\" is not an element type");
}

}  // namespace
}  // namespace gguf::readers
