// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/reader_condition.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ReaderConditionTest, EachAsksWhatItsNameSays) {
  const struct {
    ReaderEffect::Is is;
    const char* value;
    const char* text;
    bool holds;
  } cases[] = {
      {ReaderEffect::kAlways, "", "anything", true},
      {ReaderEffect::kEquals, "FUGG", "FUGG", true},
      {ReaderEffect::kEquals, "FUGG", "FUGGG", false},
      {ReaderEffect::kContains, "\\x00", "a\\x00b", true},
      {ReaderEffect::kContains, "\\x00", "ab", false},
      {ReaderEffect::kAmong, "F32, F16", "F16, F32", true},
      {ReaderEffect::kAmong, "F32, F16", "", true},
      {ReaderEffect::kAmong, "F32, F16", "F32, F1", false},
      {ReaderEffect::kAbove, "8", "8", false},
      {ReaderEffect::kAbove, "8", "9", true},
      {ReaderEffect::kAbove, "8", "[1, 9, 2]", true},
      {ReaderEffect::kAbove, "8", "unknown", false},
      {ReaderEffect::kAbove, "18446744073709551614", "18446744073709551615",
       true},
      {ReaderEffect::kWraps, "", "[4294967296, 4294967296]", true},
      {ReaderEffect::kWraps, "", "[4294967296, 4294967295]", false},
      {ReaderEffect::kWraps, "", "[3, 0]", true},
  };
  for (const auto& [is, value, text, holds] : cases) {
    const ReaderEffect row = {"a-rule", "of", is, value};
    EXPECT_EQ(Holds(row, {{"other", "9"}, {"of", text}, {"of", "no"}}), holds)
        << is << " " << value << " " << text;
  }
}

TEST(ReaderConditionTest, NothingHoldsForANameThatIsNotThere) {
  EXPECT_FALSE(Holds({"a-rule", "of", ReaderEffect::kAmong, "F32"}, {}));
  EXPECT_FALSE(Holds({"a-rule", "of", ReaderEffect::kAbove, "0"}, {}));
  EXPECT_TRUE(Holds({"a-rule", "-", ReaderEffect::kAlways, ""}, {}));
}

}  // namespace
}  // namespace gguf
