// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/check/config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::HasSubstr;
using testing::Not;

Config Read(absl::string_view text) {
  auto file = TomlFile::Parse(text, "ggufcheck.toml");
  EXPECT_TRUE(file.ok()) << file.status();
  auto config = ReadConfig(*std::move(file));
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *std::move(config) : Config();
}

// The template with the # of each setting removed.
std::string AllSettings() {
  std::string text;
  for (absl::string_view line : absl::StrSplit(kConfigTemplate, '\n')) {
    const bool is_setting = absl::StrContains(line, " = ") || absl::StartsWith(line, "# [");
    if (is_setting) absl::ConsumePrefix(&line, "# ");
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

TEST(ShowConfigTest, TheTemplateChangesNothing) {
  EXPECT_EQ(ShowConfig(Read(kConfigTemplate), "x"), ShowConfig(Config(), "x"));
}

TEST(ShowConfigTest, EverySettingOfTheTemplateIsValid) {
  const std::string shown = ShowConfig(Read(AllSettings()), "x");
  constexpr char kTypes[] =
      "[types]\nQ9_X = { id = 4711, elements = 32, bytes = 20 }  # x\n"
      "TREE = { id = 4712, size = ";
  for (const char* setting :
       {"select = [\"tensor-*\"]  # x", "[severities]", "[profiles.\"hub\"]", "[per-file-profiles]",
        "[per-file-ignores]", "metadata-bytes = 268435456  # x", kTypes, "[policy]",
        "[policy.keys]", "\"general.license\" = [\"apache-2.0\", \"mit\"]"}) {
    EXPECT_THAT(shown, HasSubstr(setting));
  }
}

TEST(ShowConfigTest, WhatIsShownIsTheSameConfiguration) {
  const std::string shown = ShowConfig(Read(AllSettings()), "x");
  EXPECT_EQ(ShowConfig(Read(shown), "x"), shown);
}

TEST(ShowConfigTest, SaysWhereEachSettingComesFrom) {
  const std::string shown = ShowConfig(Read("profile = \"spec\""), "../ggufcheck.toml");
  EXPECT_THAT(shown, HasSubstr("profile = \"spec\"  # ../ggufcheck.toml\n"));
  EXPECT_THAT(shown, HasSubstr("fail-on = \"error\"  # default\n"));
  EXPECT_THAT(shown, Not(HasSubstr("[policy]")));
}

}  // namespace
}  // namespace gguf
