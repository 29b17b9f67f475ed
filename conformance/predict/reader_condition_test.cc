// SPDX-License-Identifier: Apache-2.0

#include "conformance/predict/reader_condition.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ReaderConditionTest, EachAsksWhatItsNameSays) {
  const struct {
    Condition is;
    const char* value;
    const char* text;
    bool holds;
  } cases[] = {
      {Condition::kAlways, "", "anything", true},
      {Condition::kEquals, "FUGG", "FUGG", true},
      {Condition::kEquals, "FUGG", "FUGGG", false},
      {Condition::kContains, "\\x00", "a\\x00b", true},
      {Condition::kContains, "\\x00", "ab", false},
      {Condition::kAmong, "F32, F16", "F16, F32", true},
      {Condition::kAmong, "F32, F16", "", true},
      {Condition::kAmong, "F32, F16", "F32, F1", false},
      {Condition::kAbove, "8", "8", false},
      {Condition::kAbove, "8", "9", true},
      {Condition::kAbove, "8", "[1, 9, 2]", true},
      {Condition::kAbove, "8", "unknown", false},
      {Condition::kAbove, "18446744073709551614", "18446744073709551615", true},
      {Condition::kWraps, "", "[4294967296, 4294967296]", true},
      {Condition::kWraps, "", "[4294967296, 4294967295]", false},
      {Condition::kWraps, "", "[3, 0]", true},
  };
  for (const auto& [is, value, text, holds] : cases) {
    const ReaderEffectRow row = {"a-rule", "of", is, value};
    EXPECT_EQ(Holds(row, {{"other", "9"}, {"of", text}, {"of", "no"}}), holds)
        << WordOf(is) << " " << value << " " << text;
  }
}

TEST(ReaderConditionTest, NothingHoldsForANameThatIsNotThere) {
  EXPECT_FALSE(Holds({"a-rule", "of", Condition::kAmong, "F32"}, {}));
  EXPECT_FALSE(Holds({"a-rule", "of", Condition::kAbove, "0"}, {}));
  EXPECT_TRUE(Holds({"a-rule", "-", Condition::kAlways, ""}, {}));
}

}  // namespace
}  // namespace gguf
