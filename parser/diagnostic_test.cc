// SPDX-License-Identifier: Apache-2.0

#include "parser/diagnostic.h"

#include <iterator>

#include "gtest/gtest.h"

namespace gguf {
namespace {

constexpr Rule kRule = {.id = "some-rule",
                        .severities = Everywhere(kError),
                        .summary = "",
                        .why = "",
                        .repair = "",
                        .citation = ""};

TEST(DiagnosticTest, SubjectsArePaths) {
  const Subject key{"kv", true, 3, "llama.block_count"};
  EXPECT_EQ(key.Path(), "kv[llama.block_count]");
  EXPECT_EQ(key.Of("value").At(7).Path(), "kv[llama.block_count].value[7]");
  EXPECT_EQ((Subject{"kv", true, 3, ""}).Of("key").Path(), "kv[#3].key");
  EXPECT_EQ((Subject{"tensor", true, 0, "a\nb"}).Path(), "tensor[a\\nb]");
  EXPECT_EQ(Subject{"file"}.Path(), "file");
}

TEST(DiagnosticTest, MessagesQuoteTextAndArgsKeepIt) {
  Diagnostics found(10);
  found.Add(kRule, {4, 8}, Subject{"file"}, "{name} has {count} of {big} {unit}, see {name}",
            {{"name", absl::string_view("x\x1b")},
             {"count", uint64_t{7}},
             {"big", absl::MakeUint128(1, 0)},
             {"unit", Trusted{"bytes"}}});
  ASSERT_EQ(found.kept().size(), 1u);
  EXPECT_EQ(found.kept()[0].message,
            "\"x\\x1b\" has 7 of 18446744073709551616 bytes, see \"x\\x1b\"");
  EXPECT_EQ(found.kept()[0].args[0].second, "x\\x1b");
  EXPECT_EQ(found.kept()[0].args[2].second, "18446744073709551616");
}

TEST(DiagnosticTest, AWordAgreesWithItsNumber) {
  Diagnostics found(10);
  for (const int64_t count : {0, 1, 2, 11}) {
    found.Add(kRule, {0, 0}, Subject{"file"}, "has {count entry that is|entries that are} empty",
              {{"count", count}});
  }
  found.Add(kRule, {0, 0}, Subject{"file"}, "has {count block|blocks}", {{"count", Trusted{"1"}}});
  const char* const expected[] = {"has 0 entries that are empty", "has 1 entry that is empty",
                                  "has 2 entries that are empty", "has 11 entries that are empty",
                                  "has 1 block"};
  ASSERT_EQ(found.kept().size(), std::size(expected));
  for (size_t i = 0; i < found.kept().size(); ++i) {
    EXPECT_EQ(found.kept()[i].message, expected[i]);
  }
}

TEST(DiagnosticTest, AWordWithANameOfTheFileIsEscaped) {
  Diagnostics found(1);
  found.Add(kRule, {0, 0}, Subject{"file"}, "lacks {key}",
            {{"key", Trusted{std::string("a\0b.length", 10)}}});
  EXPECT_EQ(found.kept()[0].message, "lacks a\\x00b.length");
}

TEST(DiagnosticTest, AllAreCountedAndTheFirstFewKept) {
  Diagnostics found(2);
  for (uint64_t i = 0; i < 5; ++i) {
    found.Add(kRule, {i, i}, Subject{"file"}, "{i}", {{"i", i}});
  }
  ASSERT_EQ(found.kept().size(), 2u);
  EXPECT_EQ(found.kept()[1].message, "1");
  EXPECT_EQ(found.Count(kRule), 5u);
}

TEST(DiagnosticTest, EachRuleIsCountedByItself) {
  static constexpr Rule kRules[] = {kRule, kRule, kRule, kRule, kRule, kRule};
  Diagnostics found(1);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5; ++i) {
      found.Add(kRules[i], {0, 0}, Subject{"file"}, "is wrong", {});
    }
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(found.Count(kRules[i]), 3u);
  EXPECT_EQ(found.Count(kRules[5]), 0u);
  EXPECT_EQ(found.kept().size(), 5u);
}

TEST(DiagnosticTest, SeveritiesAreOffUnlessNamed) {
  constexpr Severities kSome = {.spec = kWarning, .llama_cpp = kNote};
  EXPECT_EQ(kSome.upload, Severity::kOff);
  EXPECT_EQ(kSome.spec, Severity::kWarning);
  EXPECT_EQ(kSome.llama_cpp, Severity::kNote);
  EXPECT_EQ(kSome.safety, Severity::kOff);
}

}  // namespace
}  // namespace gguf
