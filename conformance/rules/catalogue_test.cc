// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/catalogue.h"

#include <algorithm>
#include <set>
#include <string>

#include "conformance/rules/profile.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(CatalogueTest, IdsAreUniqueAndKebabCase) {
  std::set<std::string> seen;
  for (const Rule* rule : Catalogue()) {
    const std::string id = rule->id;
    EXPECT_TRUE(seen.insert(id).second) << id;
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos)
        << id;
    EXPECT_EQ(FindRule(id), rule);
  }
  EXPECT_EQ(FindRule("no-such-rule"), nullptr);
}

TEST(CatalogueTest, EveryRuleSaysWhatWhyHowAndWhoSaysSo) {
  for (const Rule* rule : Catalogue()) {
    for (const std::string text : {rule->summary, rule->why, rule->repair, rule->citation}) {
      ASSERT_GT(text.size(), 10u) << rule->id;
      EXPECT_EQ(text.back(), '.') << rule->id << ": " << text;
    }
    const std::string summary = rule->summary;
    EXPECT_TRUE(summary.find("shall ") != std::string::npos ||
                summary.find("should ") != std::string::npos)
        << rule->id;
  }
}

Severity WorstOf(const Severities& row) {
  return std::max({row.upload, row.spec, row.llama_cpp, row.safety});
}

// Returns whether the rule is off in all profiles until a configuration or a
// manifest of digests enables it.
bool IsOnDemand(const Rule& rule) {
  const std::string id = rule.id;
  return id.rfind("policy-", 0) == 0 || id.rfind("digest-", 0) == 0 || id.rfind("compare-", 0) == 0;
}

TEST(CatalogueTest, PreviewsAreOffAndTheDeprecatedHaveASuccessor) {
  for (const Rule* rule : Catalogue()) {
    const Rule* successor = FindRule(rule->successor);
    EXPECT_EQ(successor != nullptr, rule->stage == Stage::kDeprecated) << rule->id;
    EXPECT_NE(successor, rule);
    if (rule->stage != Stage::kPreview) continue;
    for (const Profile& profile : Profile::BuiltIn()) {
      EXPECT_EQ(profile.SeverityOf(*rule), Severity::kOff) << rule->id;
    }
    Profile pedantic = *Profile::Find("pedantic");
    pedantic.EnablePreview();
    EXPECT_GE(pedantic.SeverityOf(*rule), Severity::kWarning) << rule->id;
  }
}

TEST(CatalogueTest, ARenamedRuleIsFoundByItsOldId) {
  for (const auto& [old_id, id] : RenamedRules()) {
    const Rule* rule = FindRule(old_id);
    ASSERT_NE(rule, nullptr) << old_id;
    EXPECT_STREQ(rule->id, id);
    EXPECT_STRNE(old_id, id);
  }
}

TEST(CatalogueTest, WhatIsDemandedShallBeAndTheRestShould) {
  for (const Rule* rule : Catalogue()) {
    const Severities& row = rule->severities;
    const bool demanded =
        IsOnDemand(*rule) || row.spec == Severity::kError || row.upload == Severity::kError ||
        (row.spec == Severity::kOff && std::max(row.llama_cpp, row.safety) == Severity::kError);
    const std::string summary = rule->summary;
    EXPECT_EQ(summary.find("shall ") != std::string::npos, demanded) << rule->id;
  }
}

TEST(CatalogueTest, EveryRuleButThoseOnDemandIsOnInSomeProfile) {
  for (const Rule* rule : Catalogue()) {
    EXPECT_EQ(WorstOf(rule->severities) == Severity::kOff, IsOnDemand(*rule)) << rule->id;
  }
}

TEST(CatalogueTest, PedanticIsTheWorstOfAllAndAtLeastAWarning) {
  const Profile& pedantic = *Profile::Find("pedantic");
  EXPECT_EQ(pedantic.SeverityOf(*FindRule("key-namespaced")), Severity::kWarning);
  EXPECT_EQ(pedantic.SeverityOf(*FindRule("header-endian-little")), Severity::kError);
  EXPECT_EQ(pedantic.SeverityOf(*FindRule("last-tensor-padded")), Severity::kWarning);
}

TEST(CatalogueTest, AnOverrideBeatsTheRow) {
  Profile profile = *Profile::Find("upload");
  const Rule& rule = *FindRule("key-unique");
  EXPECT_EQ(profile.SeverityOf(rule), Severity::kError);
  profile.Override(rule, Severity::kNote);
  EXPECT_EQ(profile.SeverityOf(rule), Severity::kNote);
}

TEST(CatalogueTest, ASlipOfTheFingersFindsItsRule) {
  EXPECT_EQ(ClosestRule("tensor-offset-alinged"), "tensor-offset-aligned");
  EXPECT_EQ(ClosestRule("key_unique"), "key-unique");
  EXPECT_EQ(ClosestRule("something-else-entirely"), "");
  EXPECT_EQ(ClosestRule(std::string(100000, 'x')), "");
}

}  // namespace
}  // namespace gguf
