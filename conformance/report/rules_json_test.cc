// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/rules_json.h"

#include "conformance/engine/catalogue.h"
#include "conformance/report/testing/json_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace gguf {
namespace {

using testing::IsEmpty;

nlohmann::json AllRules() {
  std::vector<const Rule*> rules;
  for (const Check& check : Catalogue()) rules.push_back(check.rule);
  return nlohmann::json::parse(JsonText(RulesJson(rules)));
}

TEST(RulesJsonTest, ObeysItsSchema) {
  const nlohmann::json schema =
      JsonFile("conformance/report/schemas/rules.schema.json");
  nlohmann::json rules = AllRules();
  EXPECT_THAT(SchemaViolations(schema, rules), IsEmpty());
  rules["rules"][0]["status"] = "new";
  EXPECT_EQ(SchemaViolations(schema, rules).size(), 1u);
}

TEST(RulesJsonTest, HasWhatExplainSays) {
  const nlohmann::json one = nlohmann::json::parse(
      JsonText(RulesJson({FindRule("tensor-offset-aligned")})));
  ASSERT_EQ(one["rules"].size(), 1u);
  const nlohmann::json& rule = one["rules"][0];
  EXPECT_EQ(rule["id"], "tensor-offset-aligned");
  EXPECT_EQ(rule["about"], "container");
  EXPECT_EQ(rule["since"], "0.1.0");
  EXPECT_EQ(rule["status"], "stable");
  EXPECT_EQ(rule["severities"]["upload"], "error");
  EXPECT_EQ(rule["severities"].size(), 5u);
}

TEST(RulesJsonTest, ARuleInPreviewHasTheSeveritiesThatItWillHave) {
  const nlohmann::json all = AllRules();
  for (const nlohmann::json& rule : all["rules"]) {
    if (rule["status"] != "preview") continue;
    EXPECT_NE(rule["severities"]["pedantic"], "off") << rule["id"];
  }
}

}  // namespace
}  // namespace gguf
