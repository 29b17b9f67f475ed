// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/config.h"

#include <ctime>

#include "absl/strings/str_cat.h"
#include "conformance/rules/catalogue.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;

absl::StatusOr<Config> Read(absl::string_view text) {
  auto file = TomlFile::Parse(text, "c");
  if (!file.ok()) return file.status();
  return ReadConfig(*std::move(file));
}

std::string Error(absl::string_view text) { return std::string(Read(text).status().message()); }

// Returns the severity of a rule in the resulting profile, such as "error".
std::string SeverityIn(absl::string_view text, absl::string_view rule,
                       absl::string_view profile = "upload",
                       const std::vector<std::string>& select = {},
                       const std::vector<std::string>& ignore = {}) {
  const auto config = Read(text);
  if (!config.ok()) return std::string(config.status().message());
  const auto made = MakeProfile(*config, profile, select, ignore);
  if (!made.ok()) return std::string(made.status().message());
  EXPECT_EQ(made->name(), profile);
  return SeverityName(made->SeverityOf(*FindRule(rule)));
}

TEST(ConfigTest, AnEmptyFileChangesNothing) {
  const Config config = Read("").value();
  EXPECT_EQ(config.profile, "upload");
  EXPECT_EQ(config.fail_on, Severity::kError);
  EXPECT_EQ(config.limits.keys, Limits().keys);
  EXPECT_TRUE(RulesOf(config.policy).empty());
}

TEST(ConfigTest, TheOutermostTable) {
  const Config config = Read(
                            "profile = 'spec'\nfail-on = 'note'\nselect = ['key-*']\n"
                            "ignore = ['key-unique,key-namespaced']\n")
                            .value();
  EXPECT_EQ(config.profile, "spec");
  EXPECT_EQ(config.fail_on, Severity::kNote);
  EXPECT_THAT(config.select, ElementsAre("key-*"));
  EXPECT_THAT(config.ignore, ElementsAre("key-unique,key-namespaced"));
}

TEST(ConfigTest, SeveritiesComeBehindTheProfile) {
  constexpr char kText[] = "[severities]\nkey-unique = 'note'\n";
  EXPECT_EQ(SeverityIn("", "key-unique"), "error");
  EXPECT_EQ(SeverityIn(kText, "key-unique"), "note");
  EXPECT_EQ(SeverityIn(kText, "key-unique", "spec"), "note");
}

TEST(ConfigTest, ProfilesExtendABuiltInOne) {
  constexpr char kText[] =
      "profile = 'hub'\n[profiles.hub]\nextends = 'safety'\n"
      "[profiles.hub.severities]\nfile-name-convention = 'error'\n";
  EXPECT_EQ(Read(kText)->profile, "hub");
  EXPECT_EQ(SeverityIn(kText, "file-name-convention", "hub"), "error");
  EXPECT_EQ(SeverityIn(kText, "file-name-convention", "safety"), "off");
  EXPECT_EQ(SeverityIn(kText, "key-namespaced", "hub"), SeverityIn("", "key-namespaced", "safety"));
  EXPECT_EQ(SeverityIn(kText, "key-unique", "hubb"),
            "there is no profile \"hubb\"; did you mean hub?");
}

TEST(ConfigTest, TheCommandLineComesLast) {
  constexpr char kText[] = "select = ['key-*']\nignore = ['key-unique']\n";
  EXPECT_EQ(SeverityIn(kText, "key-unique"), "off");
  EXPECT_EQ(SeverityIn(kText, "string-utf8"), "off");
  EXPECT_EQ(SeverityIn(kText, "key-lower-snake-case"), "warning");
  // Selected rules are checked, with the severity of the profile.
  EXPECT_EQ(SeverityIn(kText, "key-unique", "upload", {"key-unique"}), "error");
  EXPECT_EQ(SeverityIn(kText, "key-lower-snake-case", "upload", {"key-unique"}), "off");
  EXPECT_EQ(SeverityIn(kText, "key-unique", "upload", {}, {"string-*"}), "off");
  EXPECT_EQ(SeverityIn(kText, "key-lower-snake-case", "upload", {}, {"key-*"}), "off");
}

TEST(ConfigTest, PolicyRules) {
  const Config config = Read(
                            "[policy]\nfile-name = '[a-z]+'\nfile-size = '2K'\n"
                            "architectures = ['llama']\ntensor-types = ['F32', 'Q4_K']\n"
                            "[policy.keys]\n'general.license' = ['mit', 'cc-*']\n")
                            .value();
  EXPECT_EQ(config.policy.file_name->pattern(), "[a-z]+");
  EXPECT_EQ(config.policy.file_size, 2048u);
  EXPECT_THAT(config.policy.architectures, ElementsAre("llama"));
  EXPECT_THAT(config.policy.tensor_types, ElementsAre("F32", "Q4_K"));
  ASSERT_EQ(config.policy.keys.size(), 1u);
  EXPECT_EQ(config.policy.keys[0].name, "general.license");
  EXPECT_THAT(config.policy.keys[0].values, ElementsAre("mit", "cc-*"));
}

TEST(ConfigTest, PolicyRulesAreErrorsUnlessSaidOtherwise) {
  constexpr char kText[] = "[policy]\nfile-size = 7\n";
  constexpr char kRule[] = "policy-file-size-allowed";
  EXPECT_EQ(SeverityIn("", kRule, "pedantic"), "off");
  EXPECT_EQ(SeverityIn(kText, kRule), "error");
  EXPECT_EQ(SeverityIn(kText, "policy-key-present"), "off");
  EXPECT_EQ(SeverityIn(absl::StrCat(kText, "[severities]\n", kRule, " = 'off'"), kRule), "off");
  EXPECT_EQ(SeverityIn(absl::StrCat(kText,
                                    "[profiles.p]\nextends = 'spec'\n"
                                    "[profiles.p.severities]\n",
                                    kRule, " = 'note'"),
                       kRule, "p"),
            "note");
}

TEST(ConfigTest, OldNamesAreReadWithAWarning) {
  const Config config = Read(
                            "select = ['key-*,house-*']\n"
                            "ignore = ['h*']\n"
                            "[house]\nfile-size = 7\n"
                            "[severities]\nhouse-key-present = 'note'\n"
                            "[per-file-ignores]\n'*' = ['house-value-allowed']")
                            .value();
  EXPECT_EQ(config.policy.file_size, 7u);
  EXPECT_THAT(config.warnings,
              ElementsAre("c:1: house-file-name-allowed is now policy-file-name-allowed",
                          "c:2: house-file-name-allowed is now policy-file-name-allowed",
                          "c:6: house-key-present is now policy-key-present",
                          "c:8: house-value-allowed is now policy-value-allowed",
                          "c:3: [house] is now [policy]"));
  EXPECT_THAT(config.file_ignores[0].rules, ElementsAre(FindRule("policy-value-allowed")));
  EXPECT_EQ(SeverityIn("[severities]\nhouse-key-present = 'note'", "policy-key-present"), "note");
  EXPECT_EQ(SeverityIn("select = ['house-*']", "policy-key-present"), "warning");
  EXPECT_EQ(Error("[policy]\n[house]\n"), "c:2: [house] duplicates [policy]");
}

TEST(ConfigTest, Limits) {
  const Config config = Read("[limits]\nkeys = 7\nmetadata-bytes = '1M'\nseconds = 1.5").value();
  EXPECT_EQ(config.limits.keys, 7u);
  EXPECT_EQ(config.limits.metadata_bytes, 1u << 20);
  EXPECT_EQ(config.limits.seconds, 1.5);
  EXPECT_EQ(config.limits.tensors, gguf::Limits().tensors);
}

TEST(ConfigTest, RulesThatAreOffForSomeFiles) {
  const Config config =
      Read("[per-file-ignores]\n'old/*' = ['key-unique', 'string-utf8']\n").value();
  ASSERT_EQ(config.file_ignores.size(), 1u);
  EXPECT_EQ(config.file_ignores[0].glob, "old/*");
  EXPECT_THAT(config.file_ignores[0].rules,
              ElementsAre(FindRule("key-unique"), FindRule("string-utf8")));
}

TEST(ConfigTest, ProfilesOfSomeFilesLongestGlobFirst) {
  const Config config = Read(
                            "[profiles.own]\nextends = 'spec'\n"
                            "[per-file-profiles]\n'a*' = 'own'\n'a/b/*' = 'safety'\n")
                            .value();
  ASSERT_EQ(config.file_profiles.size(), 2u);
  EXPECT_EQ(config.file_profiles[0].glob, "a/b/*");
  EXPECT_EQ(config.file_profiles[0].profile, "safety");
  EXPECT_EQ(config.file_profiles[1].glob, "a*");
  EXPECT_EQ(config.file_profiles[1].profile, "own");
}

TEST(ConfigTest, MistakesNameTheirLine) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"\nprofil = 'spec'", "c:2: unknown key \"profil\"; did you mean profile?"},
      {"profile = 'uplaod'", "c:1: there is no profile \"uplaod\"; did you mean upload?"},
      {"profile = 'x'",
       "c:1: there is no profile \"x\"; expected one of safety, spec, llama.cpp, upload, pedantic"},
      {"fail-on = 'off'", "c:1: \"fail-on\" must be error, warning or note"},
      {"select = ['key-unique',\n 'key-uniqe']",
       "c:2: there is no rule \"key-uniqe\"; did you mean key-unique?"},
      {"[severities]\nkey-uniqe = 'note'",
       "c:2: there is no rule \"key-uniqe\"; did you mean key-unique?"},
      {"[severities]\nkey-unique = 'notes'",
       "c:2: \"key-unique\" must be error, warning, note or off"},
      {"[per-file-profiles]\n'*' = 'uplaod'",
       "c:2: there is no profile \"uplaod\"; did you mean upload?"},
      {"[per-file-ignores]\n'*' = ['x-*']", "c:2: there is no rule \"x-*\"; see ggufcheck rules"},
      {"[limits]\nkey = 1", "c:2: unknown key \"key\"; did you mean keys?"},
      {"[limits]\nkeys = '1X'", "c:2: \"keys\" must be a number or a string like 50G"},
      {"[limits]\nseconds = -1", "c:2: \"seconds\" must be from 0 to 1e9"},
      {"[limits]\nseconds = nan", "c:2: \"seconds\" must be from 0 to 1e9"},
      {"[profiles.spec]\nextends = 'upload'",
       "c:1: the profile \"spec\" is built in; choose another name"},
      {"[profiles.\"a b\"]\nextends = 'upload'",
       "c:1: the name of the profile \"a b\" may only contain a-z, 0-9, - and ."},
      {"[profiles.hub]",
       "c:1: the profile \"hub\" must have extends = one of safety, spec, llama.cpp, upload, "
       "pedantic"},
      {"[profiles.hub]\nextends = 'hub'",
       "c:2: there is no profile \"hub\"; expected one of safety, spec, llama.cpp, upload, "
       "pedantic"},
      {"[policy]\nfile-name = '('", "c:2: \"file-name\" is not an RE2 expression: missing ): ("},
      {"[policy]\ntensor-types = ['F32',\n'Q4K']",
       "c:3: unknown tensor type \"Q4K\"; did you mean Q4_K?"},
      {"[policy]\narchitectures = []", "c:2: \"architectures\" must not be empty"},
      {"[policy.keys]\na = 'mit'", "c:2: \"a\" must be a list of strings"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Error(text), error);
}

TEST(ConfigTest, ManyMistakesTakeNoLonger) {
  std::string text = "[severities]\n";
  for (int i = 0; i < 7000; ++i) {
    absl::StrAppend(&text, "tensor-offset-alignet-", i, "='off'\n");
  }
  const clock_t begin = clock();
  EXPECT_EQ(
      Error(text),
      "c:2: there is no rule \"tensor-offset-alignet-0\"; did you mean tensor-offset-aligned?");
  EXPECT_LT(clock() - begin, CLOCKS_PER_SEC / 2);  // CPU time.
}

TEST(SizeTest, NumbersWithAUnit) {
  EXPECT_EQ(ParseSize("0"), 0u);
  EXPECT_EQ(ParseSize("64K"), 65536u);
  EXPECT_EQ(ParseSize("2M"), 2u << 20);
  EXPECT_EQ(ParseSize("3G"), uint64_t{3} << 30);
  EXPECT_EQ(ParseSize("18446744073709551615"), UINT64_MAX);
}

TEST(SizeTest, WhatIsNoneIsRefused) {
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 ", "1 K", "1KK", "1k", "1.5G", "0x10",
                           "18446744073709551616", "17179869184G"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

}  // namespace

}  // namespace gguf
