// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/config.h"

#include <ctime>

#include "absl/strings/str_cat.h"
#include "conformance/rules/catalogue.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

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

TEST(ConfigTest, Types) {
  const Config config = Read(
                            "[policy]\ntensor-types = ['F32', 'Q9_X']\n"
                            "[types]\nTREE = { id = 4712, size = 'elements / 32 * 20 + 64' }\n"
                            "Q9_X = { id = 4711, elements = 32, bytes = 20 }\n"
                            "[types.MINE]\nid = 144\nelements = 1048576\nbytes = 1\n")
                            .value();
  std::vector<std::string> types;
  for (const auto& [id, type] : config.limits.own_types->by_id) {
    EXPECT_EQ(type.id, id);
    types.push_back(absl::StrCat(id, " ", type.name, " ", type.blocks.elements, " ",
                                 type.blocks.bytes, " ", type.size));
  }
  EXPECT_THAT(types, ElementsAre("144 MINE 1048576 1 ", "4711 Q9_X 32 20 ",
                                 "4712 TREE 1 0 elements / 32 * 20 + 64"));
  EXPECT_THAT(config.policy.tensor_types, ElementsAre("F32", "Q9_X"));
  EXPECT_TRUE(Read("")->limits.own_types->by_id.empty());
}

TEST(ConfigTest, MistakesInTypes) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"A = 7", "c:2: \"A\" must be a table"},
      {"A = {}",
       "c:2: the tensor type \"A\" must have either id, elements and bytes, or id and size"},
      {"A = { id = 4711, elements = 32 }",
       "c:2: the tensor type \"A\" must have either id, elements and bytes, or id and size"},
      {"A = { id = 4711, elements = 1, bytes = 1, size = 'elements' }",
       "c:2: the tensor type \"A\" must have either id, elements and bytes, or id and size"},
      {"'A B' = { id = 4711, size = 'elements' }",
       "c:2: the tensor type \"A B\" must have a name of at most 64 letters A-Z and a-z, digits "
       "and _, first a letter"},
      {"'' = { id = 4711, size = 'elements' }",
       "c:2: the tensor type \"\" must have a name of at most 64 letters A-Z and a-z, digits and "
       "_, first a letter"},
      {"4711 = { id = 4711, size = 'elements' }",
       "c:2: the tensor type \"4711\" must have a name of at most 64 letters A-Z and a-z, digits "
       "and _, first a letter"},
      {"q4_k = { id = 4711, size = 'elements' }",
       "c:2: the tensor type \"q4_k\" must have a name that no other type has"},
      {"A = { id = 4711, size = 'elements' }\na = { id = 4712, size = 'elements' }",
       "c:3: the tensor type \"a\" must have a name that no other type has"},
      {"A = { id = '4711', size = 'elements' }", "c:2: \"id\" must be a non-negative integer"},
      {"A = { id = 4294967296, size = 'elements' }",
       "c:2: \"id\" is 4294967296; it must be from 1 to 4294967295"},
      {"A = { id = 12, size = 'elements' }",
       "c:2: \"id\" is 12, as that of Q4_K; it must be that of no other type"},
      {"A = { id = 4, size = 'elements' }",
       "c:2: \"id\" is 4, as that of Q4_2; it must be that of no other type"},
      {"A = { id = 4711, size = 'elements' }\nB = { id = 4711, size = 'elements' }",
       "c:3: \"id\" is 4711, as that of A; it must be that of no other type"},
      {"A = { id = 4711, elements = 0, bytes = 1 }",
       "c:2: \"elements\" is 0; it must be from 1 to 1048576"},
      {"A = { id = 4711, elements = 1, bytes = 1048577 }",
       "c:2: \"bytes\" is 1048577; it must be from 1 to 1048576"},
      {"A = { id = 4711, elements = 1, bytes = -1 }",
       "c:2: \"bytes\" must be a non-negative integer"},
      {"A = { id = 4711, size = 20 }", "c:2: \"size\" must be a string"},
      {"A = { id = 4711, size = 'elements / rows' }",
       "c:2: \"size\" must be an expression: expected a number from 1 to 2^64 - 1 after /, not "
       "\"rows\""},
      {"A = { id = 4711, size = '64' }",
       "c:2: \"size\" must grow with the elements, and be below 2^64 for 2^30 of them"},
      {"A = { id = 4711, size = 'elements / 1073741825' }",
       "c:2: \"size\" must grow with the elements, and be below 2^64 for 2^30 of them"},
      {"A = { id = 4711, size = 'elements * elements * elements' }",
       "c:2: \"size\" must grow with the elements, and be below 2^64 for 2^30 of them"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Error(absl::StrCat("[types]\n", text)), error);
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
