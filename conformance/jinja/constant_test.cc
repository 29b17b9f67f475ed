// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/constant.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gguf::jinja {
namespace {

Constant Number(double number) { return Constant::Number(number); }
Constant Text(absl::string_view text) { return Constant::Text(text); }

Constant List(std::vector<Constant> items) { return Constant::List(items, items.size()); }

// A known text; "?" for anything else.
std::string TextOf(const Constant& c) { return c.is_known_text() ? c.text : "?"; }

TEST(ConstantTest, ParsesNumbers) {
  EXPECT_EQ(Constant::Parse("1_000").number, 1000);
  EXPECT_EQ(Constant::Parse("0x1f").number, 31);
  EXPECT_EQ(Constant::Parse("0b11").number, 3);
  EXPECT_EQ(Constant::Parse("0o17").number, 15);
  EXPECT_EQ(Constant::Parse("1.5e3").number, 1500);
  EXPECT_EQ(Constant::Parse(std::string(400, '9')).number, std::numeric_limits<double>::infinity());
}

TEST(ConstantTest, Arithmetic) {
  EXPECT_EQ(Add(Number(2), Number(3)).number, 5);
  EXPECT_EQ(Subtract(Number(2), Number(3)).number, -1);
  EXPECT_EQ(Multiply(Number(2), Number(3)).number, 6);
  EXPECT_EQ(Power(Number(10), Number(12)).number, 1e12);
  EXPECT_EQ(Add(Number(2), Constant()).kind, Constant::kSomeNumber);
  EXPECT_EQ(Subtract(Constant(), Number(2)).kind, Constant::kSomeNumber);
  EXPECT_EQ(Add(Constant(), Constant()).kind, Constant::kUnknown);
}

TEST(ConstantTest, Texts) {
  EXPECT_EQ(TextOf(Concat(Text("a"), Number(1))), "a1");
  EXPECT_EQ(TextOf(Concat(Text("a"), Constant())), "?");
  EXPECT_EQ(TextOf(Add(Text("a"), Text("b"))), "ab");
  EXPECT_EQ(TextOf(Multiply(Text("ab"), Number(2))), "abab");
  EXPECT_EQ(TextOf(Multiply(Number(-1), Text("ab"))), "");
}

TEST(ConstantTest, LongTextsHaveASizeOnly) {
  const std::string longest(kLongestText, 'a');
  EXPECT_TRUE(Text(longest).whole);
  EXPECT_FALSE(Text(longest + "a").whole);
  EXPECT_EQ(Text(longest + "a").size, kLongestText + 1);
  EXPECT_FALSE(Concat(Text(longest), Text("a")).whole);
  EXPECT_TRUE(List({Text(longest)}).whole);
  EXPECT_FALSE(List({Text(longest), Text("a")}).whole);
  EXPECT_EQ(Multiply(Text("ab"), Number(1e10)).size, 2e10);
  EXPECT_EQ(Multiply(Text(""), Number(1e300)).size, 0);
  EXPECT_EQ(Multiply(List({Text("a")}), Number(1e9)).size, 1e9);
}

TEST(ConstantTest, Slices) {
  const Constant abc = Text("abc"), none;
  const auto slice = [&](std::vector<Constant> parts) { return TextOf(Slice(abc, parts)); };
  EXPECT_EQ(slice({none, none, Number(-1)}), "cba");
  EXPECT_EQ(slice({Number(1), none}), "bc");
  EXPECT_EQ(slice({none, Number(-1)}), "ab");
  EXPECT_EQ(slice({Number(2), Number(1)}), "");
  EXPECT_EQ(slice({Number(-9), Number(1e300)}), "abc");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(slice({Number(nan), Number(nan)}), "abc");
  EXPECT_EQ(slice({none, none, Number(2)}), "?");
}

TEST(ConstantTest, Filters) {
  const Constant list = List({Text("ab"), Text("cd")});
  EXPECT_EQ(TextOf(Filter("join", list, {})), "abcd");
  EXPECT_EQ(TextOf(Filter("join", list, {Text("-")})), "ab-cd");
  EXPECT_EQ(TextOf(CallMethod("join", Text("-"), {list})), "ab-cd");
  EXPECT_EQ(TextOf(Filter("first", list, {})), "ab");
  EXPECT_EQ(TextOf(Filter("last", list, {})), "cd");
  EXPECT_EQ(TextOf(Filter("lower", Text("AB"), {})), "ab");
  EXPECT_EQ(TextOf(Filter("upper", Text("ab"), {})), "AB");
  EXPECT_EQ(TextOf(Filter("trim", Text(" a "), {})), "a");
  EXPECT_EQ(TextOf(Filter("reverse", Text("ab"), {})), "ba");
  EXPECT_EQ(TextOf(Filter("replace", Text("axb"), {Text("x"), Text("y")})), "ayb");
  EXPECT_EQ(TextOf(Filter("tojson", Text("a"), {})), "?");
  EXPECT_EQ(Filter("center", Text("a"), {Number(1e9)}).size, 1e9);
}

TEST(ConstantTest, Formats) {
  const Constant a = Text("a"), b = Text("b");
  EXPECT_EQ(TextOf(Filter("format", Text("<%s%s>"), {a, b})), "<ab>");
  EXPECT_EQ(TextOf(CallMethod("format", Text("{}-{}"), {a, b})), "a-b");
  EXPECT_EQ(TextOf(CallMethod("format", Text("{1}{0}"), {a, b})), "ba");
  EXPECT_EQ(TextOf(Modulo(Text("%s%s"), List({a, b}))), "ab");
  EXPECT_EQ(TextOf(Modulo(Text("%s"), a)), "a");
  EXPECT_EQ(TextOf(CallMethod("format", Text("{}{}"), {a})), "?");
  EXPECT_EQ(TextOf(CallMethod("format", Text("{"), {a})), "?");
  EXPECT_EQ(CallMethod("format", Text("{:>9000000}"), {a}).size, 9e6);
}

}  // namespace
}  // namespace gguf::jinja
