// Compares expected answers with observed ones.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/readers/run/judge.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

Answer Read(const std::string& lines) {
  AnswerReader reader;
  for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
    const absl::Status added = reader.Add(line);
    EXPECT_TRUE(added.ok()) << added;
  }
  return reader.Take();
}

// Returns the first difference, as "L2 path: expected, not observed", otherwise
// the states of the levels.
std::string Compared(const std::string& expected, const std::string& observed,
                     const std::string& caps = "kv,tensors,data,deq") {
  std::string states;
  for (const LevelResult& level :
       Compare(Read(expected), Read(observed), ParseCaps(caps).value())) {
    if (level.state == LevelState::kFail) {
      return absl::StrCat("L", level.level, " ", level.difference.path, ": ",
                          level.difference.expected, ", not ", level.difference.observed);
    }
    absl::StrAppend(&states, level.level, " ", JsonName(level.state), "; ");
  }
  return states;
}

// Whether two values of a key compare equal.
bool Equal(const std::string& expected, const std::string& observed,
           const std::string& quirk = "-") {
  const std::string caps = quirk == "-" ? "kv" : "kv," + quirk;
  return Compared("@kv 61 " + expected, "@kv 61 " + observed, caps)[0] == '2';
}

constexpr char kAll[] = "@kv 61 u32 7\n@kv 62 str 78\n@t 77 1 0 2 2 3\n@d 77 0001\n@q 77 3f800000";

TEST(CompareTest, EqualAnswersPass) {
  EXPECT_EQ(Compared(kAll, kAll), "2 pass; 3 pass; 4 pass; 5 pass; ");
}

TEST(CompareTest, UnannouncedLevelsAreNotTested) {
  EXPECT_EQ(Compared(kAll, "", "-"), "2 not-tested; 3 not-tested; 4 not-tested; 5 not-tested; ");
  EXPECT_EQ(Compared(kAll, "@t 77 1 0 2 2 3", "tensors"),
            "2 not-tested; 3 pass; 4 not-tested; 5 not-tested; ");
  EXPECT_EQ(Compared("", ""), "2 pass; 3 pass; 4 not-tested; 5 not-tested; ");
}

TEST(CompareTest, DifferencesSayWhereAndWhat) {
  const auto differ = [](const char* expected, const char* observed) {
    return Compared(expected, observed);
  };
  EXPECT_EQ(differ("@kv 61 u32 7", "@kv 61 u32 8"), "L2 kv[a]: u32 7, not u32 8");
  EXPECT_EQ(differ("@kv 61 u32 7", "@kv 61 i32 7"), "L2 kv[a]: u32 7, not i32 7");
  EXPECT_EQ(differ("@kv 61 str 780a", "@kv 61 str 78"), "L2 kv[a]: str \"x\\n\", not str \"x\"");
  EXPECT_EQ(differ("@kv 61 arr arr 2 u8 1 1 u8 2 1 2", "@kv 61 arr arr 2 u8 1 1 u8 2 1 3"),
            "L2 kv[a][1][1]: u8 2, not u8 3");
  EXPECT_EQ(differ("@kv 61 arr u8 2 1 2", "@kv 61 arr u8 1 1"),
            "L2 kv[a]: arr u8 of 2, not arr u8 of 1");
  EXPECT_EQ(differ("@kv 61 f32 3f800000", "@kv 61 f32 3f800001"),
            "L2 kv[a]: f32 3f800000 (1), not f32 3f800001 (1.0000001192092896)");
  EXPECT_EQ(differ("@kv 61 u8 1", ""), "L2 kv[a]: u8 1, not nothing");
  EXPECT_EQ(differ("", "@kv 61 u8 1"), "L2 kv[a]: nothing, not u8 1");
  EXPECT_EQ(differ("@kv 61 u8 1\n@kv 62 u8 2", "@kv 62 u8 2\n@kv 61 u8 1"),
            "L2 kv[0]: \"a\", not \"b\"");
  EXPECT_EQ(differ("@kv 61 u8 1", "@kv 61 u8 1\n@kv 61 u8 1"), "L2 kv[a]: nothing, not u8 1");
  EXPECT_EQ(differ("@t 77 1 0 1 2", "@t 77 2 0 1 2"), "L3 tensor[w].type: 1, not 2");
  EXPECT_EQ(differ("@t 77 1 0 1 2", "@t 77 1 8 1 2"), "L3 tensor[w].offset: 0, not 8");
  EXPECT_EQ(differ("@t 77 1 0 2 2 3", "@t 77 1 0 2 3 2"), "L3 tensor[w].dims: [2, 3], not [3, 2]");
  EXPECT_EQ(differ("@t 77 1 0 1 2", ""), "L3 tensor[w]: type 1 [2], not nothing");
  EXPECT_EQ(differ("@d 77 0001", "@d 77 0002"), "L4 tensor[w].data[1]: 01, not 02");
  EXPECT_EQ(differ("@d 77 0001", "@d 77 00"), "L4 tensor[w].data: 2 bytes, not 1 bytes");
  EXPECT_EQ(differ("@d 77 0001", ""), "L4 tensor[w]: 2 bytes, not nothing");
  EXPECT_EQ(differ("@q 77 00000000", "@q 77 80000000"),
            "L5 tensor[w].weights[0]: 00000000 (0), not 80000000 (-0)");
  EXPECT_EQ(differ("@q 77 00000000", "@q 77"), "L5 tensor[w].weights: 1 weights, not 0 weights");
}

TEST(CompareTest, ATensorWithoutWeightsIsNotTested) {
  const std::string two = "@q 77 00000000\n@q 78 00000000";
  EXPECT_EQ(Compared(two, "", "deq"), "2 not-tested; 3 not-tested; 4 not-tested; 5 not-tested; ");
  EXPECT_EQ(Compared(two, "@q 78 00000000", "deq"),
            "2 not-tested; 3 not-tested; 4 not-tested; 5 pass; ");
  EXPECT_EQ(Compared("", two, "deq"), "2 not-tested; 3 not-tested; 4 not-tested; 5 not-tested; ");
}

TEST(CompareTest, DimensionsOfOneAtTheEndDoNotCount) {
  EXPECT_EQ(Compared("@t 77 1 0 1 2", "@t 77 1 0 4 2 1 1 1")[0], '2');
  EXPECT_EQ(Compared("@t 77 1 0 0", "@t 77 1 0 1 1")[0], '2');
  EXPECT_EQ(Compared("@t 77 1 0 1 2", "@t 77 1 0 2 1 2"), "L3 tensor[w].dims: [2], not [1, 2]");
}

TEST(CompareTest, UntypedNumbersAreEqualByValue) {
  EXPECT_TRUE(Equal("u8 7", "u64 7", "untyped"));
  EXPECT_TRUE(Equal("u8 7", "f64 401c000000000000", "untyped"));
  EXPECT_TRUE(Equal("i32 -7", "f64 c01c000000000000", "untyped"));
  EXPECT_TRUE(Equal("f32 3f800000", "f64 3ff0000000000000", "untyped"));
  EXPECT_TRUE(Equal("f32 3f800000", "u8 1", "untyped"));
  EXPECT_TRUE(Equal("arr u8 2 1 2", "arr i64 2 1 2", "untyped"));
  EXPECT_TRUE(Equal("arr str 0", "arr u8 0", "untyped"));
  // 2^53 + 1 is not a double; 2^64 - 1 would round to 2^64.
  EXPECT_FALSE(Equal("u64 9007199254740993", "f64 4340000000000000", "untyped"));
  EXPECT_FALSE(Equal("u64 18446744073709551615", "f64 43f0000000000000", "untyped"));
  EXPECT_TRUE(Equal("u64 9223372036854775808", "f64 43e0000000000000", "untyped"));
  EXPECT_TRUE(Equal("i64 -9223372036854775808", "f64 c3e0000000000000", "untyped"));
  EXPECT_FALSE(Equal("f32 80000000", "f64 0000000000000000", "untyped"));
  EXPECT_FALSE(Equal("f32 7fc00000", "f64 7ff8000000000000", "untyped"));
  EXPECT_FALSE(Equal("f32 3fc00000", "u8 1", "untyped"));
  EXPECT_FALSE(Equal("bool 1", "u8 1", "untyped"));
  EXPECT_FALSE(Equal("str 37", "u8 7", "untyped"));
  EXPECT_FALSE(Equal("arr u8 1 7", "u8 7", "untyped"));
  EXPECT_FALSE(Equal("u8 7", "u64 7"));
}

TEST(CompareTest, NansAreEqualWhenTheyAreCanonised) {
  const std::string quirks = "nan-canon";
  EXPECT_TRUE(Equal("f32 7f800001", "f32 7fc00000", quirks));
  EXPECT_FALSE(Equal("f32 7f800001", "f32 7fc00000"));
  EXPECT_FALSE(Equal("f32 7f800000", "f32 7fc00000", quirks));
  EXPECT_TRUE(Equal("f32 7f800001", "f64 7ff8000000000000", "nan-canon,untyped"));
  EXPECT_EQ(Compared("@q 77 ffc00001", "@q 77 7fc00000", "deq,nan-canon"),
            "2 not-tested; 3 not-tested; 4 not-tested; 5 pass; ");
  EXPECT_EQ(Compared("@q 77 7f800000", "@q 77 7fc00000", "deq,nan-canon"),
            "L5 tensor[w].weights[0]: 7f800000 (inf), not 7fc00000 (nan)");
}

TEST(CompareTest, OnlyLostBytesAreExcused) {
  EXPECT_TRUE(Equal("str 61ff62", "str 61efbfbd62", "lossy-utf8"));
  EXPECT_TRUE(Equal("str 61f09f9862", "str 61efbfbdefbfbd62", "lossy-utf8"));
  EXPECT_FALSE(Equal("str 61ff62", "str 6162", "lossy-utf8"));
  EXPECT_FALSE(Equal("str 61ff62", "str 61efbfbd62"));
  EXPECT_EQ(Compared("@kv ff u8 1", "@kv efbfbd u8 1", "kv,lossy-utf8")[2], 'p');
  EXPECT_EQ(Compared("@t ff 1 0 0", "@t efbfbd 1 0 0", "tensors,lossy-utf8"),
            "2 not-tested; 3 pass; 4 not-tested; 5 not-tested; ");
}

TEST(CompareTest, OnlyTheOrderIsExcused) {
  const std::string ab = "@kv 61 u8 1\n@kv 62 u8 2";
  const std::string ba = "@kv 62 u8 2\n@kv 61 u8 1";
  EXPECT_EQ(Compared(ab, ba, "kv,unordered")[2], 'p');
  EXPECT_EQ(Compared(ab, "@kv 62 u8 2", "kv,unordered"), "L2 kv[a]: u8 1, not nothing");
  EXPECT_EQ(Compared("@t 61 1 0 0\n@t 62 1 32 0", "@t 62 1 32 0\n@t 61 1 0 0", "tensors,unordered"),
            "2 not-tested; 3 pass; 4 not-tested; 5 not-tested; ");
}

// Both lists have a name twice: the first entries belong together.
TEST(CompareTest, DuplicateNamesAreMatchedInOrder) {
  const std::string twice = "@kv 61 u8 1\n@kv 61 u8 2";
  EXPECT_EQ(Compared(twice, twice, "kv")[2], 'p');
  EXPECT_EQ(Compared(twice, "@kv 61 u8 2\n@kv 61 u8 1", "kv"), "L2 kv[a]: u8 1, not u8 2");
}

}  // namespace

}  // namespace gguf::readers
