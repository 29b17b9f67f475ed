// Lists the members of a rule.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/rules_json.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/base/project.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/statements.h"
#include "conformance/tables/symptoms.h"

namespace gguf {
namespace {

Json RuleJson(const Rule& rule) {
  Json severities = Json::object();
  for (Profile profile : Profile::BuiltIn()) {
    profile.EnablePreview();
    severities[profile.name()] = SeverityName(profile.SeverityOf(rule));
  }
  Json json = {
      {"id", rule.id},
      {"about", ScopeName(rule.scope)},
      {"since", rule.since},
      {"status", StageName(rule.stage)},
  };
  if (rule.stage == Stage::kDeprecated) json["successor"] = rule.successor;
  json.update({{"summary", rule.summary},
               {"why", rule.why},
               {"repair", rule.repair},
               {"fix", WordOf(FixOf(rule).fix)},
               {"source", rule.citation}});
  if (FixOf(rule).fix == FixKind::kNone) json["no_fix"] = WordOf(FixOf(rule).reason);
  std::string lines = LinesOf(rule.id);
  if (!lines.empty()) json["lines"] = std::move(lines);
  std::string url = RuleUrl(rule.id);
  if (!url.empty()) json["url"] = std::move(url);
  for (const Symptom& symptom : kSymptoms) {
    if (!symptom.rules.Has(rule.id)) continue;
    json["symptoms"].push_back(
        absl::StrCat(symptom.symptom, ", ", absl::StrJoin(symptom.words, ", ")));
  }
  json["severities"] = std::move(severities);
  return json;
}

}  // namespace

const char* StageName(Stage stage) {
  switch (stage) {
    case Stage::kPreview:
      return "preview";
    case Stage::kStable:
      return "stable";
    case Stage::kDeprecated:
      return "deprecated";
  }
  return "";
}

Json RulesJson(const std::vector<const Rule*>& rules) {
  Json all = Json::array();
  for (const Rule* rule : rules) all.push_back(RuleJson(*rule));
  return {{"schema", "ggufcheck/rules/1"},
          {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}},
          {"rules", std::move(all)}};
}

}  // namespace gguf
