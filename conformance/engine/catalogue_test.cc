// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine/catalogue.h"

#include <algorithm>
#include <set>
#include <string>

#include "conformance/engine/profile.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(CatalogueTest, IdsAreUniqueAndKebabCase) {
  std::set<std::string> seen;
  for (const Check& check : Catalogue()) {
    const std::string id = check.rule->id;
    EXPECT_TRUE(seen.insert(id).second) << id;
    EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string::npos)
        << id;
    EXPECT_EQ(FindRule(id), check.rule);
  }
  EXPECT_EQ(FindRule("no-such-rule"), nullptr);
}

TEST(CatalogueTest, EveryRuleSaysWhatWhyHowAndWhoSaysSo) {
  for (const Check& check : Catalogue()) {
    const Rule& rule = *check.rule;
    for (const std::string text :
         {rule.summary, rule.why, rule.repair, rule.citation}) {
      ASSERT_GT(text.size(), 10u) << rule.id;
      EXPECT_EQ(text.back(), '.') << rule.id << ": " << text;
    }
    const std::string summary = rule.summary;
    EXPECT_TRUE(summary.find("shall ") != std::string::npos ||
                summary.find("should ") != std::string::npos)
        << rule.id;
  }
}

Severity WorstOf(const Severities& row) {
  return std::max({row.upload, row.spec, row.llama_cpp, row.safety});
}

// Returns whether the rule is off in all profiles until a configuration or a
// manifest of digests enables it.
bool IsOnDemand(const Rule& rule) {
  const std::string id = rule.id;
  return id.rfind("policy-", 0) == 0 || id.rfind("digest-", 0) == 0 ||
         id.rfind("compare-", 0) == 0;
}

TEST(CatalogueTest, PreviewsAreOffAndTheDeprecatedHaveASuccessor) {
  for (const Check& check : Catalogue()) {
    const LifeCycle& life = check.rule->life_cycle;
    const Rule* successor = FindRule(life.successor);
    EXPECT_EQ(successor != nullptr, life.status == LifeCycle::kDeprecated)
        << check.rule->id;
    EXPECT_NE(successor, check.rule);
    if (life.status != LifeCycle::kPreview) continue;
    for (const Profile& profile : Profile::BuiltIn()) {
      EXPECT_EQ(profile.SeverityOf(*check.rule), Severity::kOff)
          << check.rule->id;
    }
    Profile pedantic = *Profile::Find("pedantic");
    pedantic.EnablePreview();
    EXPECT_GE(pedantic.SeverityOf(*check.rule), Severity::kWarning)
        << check.rule->id;
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
  for (const Check& check : Catalogue()) {
    const Severities& row = check.rule->severities;
    const bool demanded =
        IsOnDemand(*check.rule) || row.spec == Severity::kError ||
        row.upload == Severity::kError ||
        (row.spec == Severity::kOff &&
         std::max(row.llama_cpp, row.safety) == Severity::kError);
    const std::string summary = check.rule->summary;
    EXPECT_EQ(summary.find("shall ") != std::string::npos, demanded)
        << check.rule->id;
  }
}

TEST(CatalogueTest, EveryRuleButThoseOnDemandIsOnInSomeProfile) {
  for (const Check& check : Catalogue()) {
    EXPECT_EQ(WorstOf(check.rule->severities) == Severity::kOff,
              IsOnDemand(*check.rule))
        << check.rule->id;
  }
}

TEST(CatalogueTest, PedanticIsTheWorstOfAllAndAtLeastAWarning) {
  const Profile& pedantic = *Profile::Find("pedantic");
  EXPECT_EQ(pedantic.SeverityOf(*FindRule("key-namespaced")),
            Severity::kWarning);
  EXPECT_EQ(pedantic.SeverityOf(*FindRule("header-endian-little")),
            Severity::kError);
  EXPECT_EQ(pedantic.SeverityOf(*FindRule("last-tensor-padded")),
            Severity::kWarning);
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
