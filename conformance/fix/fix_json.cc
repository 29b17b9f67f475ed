// Writes the changes of a plan and the findings that are left.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/fix/fix_json.h"

#include "conformance/base/text.h"
#include "conformance/rules/catalogue.h"

namespace gguf {

Json FixJson(const std::string& profile, const std::vector<PlannedFile>& plan,
             const std::vector<std::string>& paths, const std::vector<std::string>& outputs) {
  Json files = Json::array();
  for (size_t i = 0; i < plan.size(); ++i) {
    Json changes = Json::array(), left = Json::array();
    for (const Change& change : plan[i].changes) {
      changes.push_back({{"rule", change.rule == nullptr ? Json() : Json(change.rule->id)},
                         {"subject", change.subject},
                         {"from", change.from},
                         {"to", change.to},
                         {"why", change.why}});
    }
    for (const Finding& finding : plan[i].after.findings) {
      left.push_back({{"rule", finding.diagnostic.rule->id},
                      {"severity", SeverityName(finding.severity)},
                      {"subject", finding.diagnostic.subject},
                      {"message", finding.diagnostic.message},
                      {"fix", WordOf(FixOf(*finding.diagnostic.rule).fix)}});
    }
    files.push_back(
        {{"path", Escape(paths[i], paths[i].size())},
         {"output", outputs.empty() ? Json() : Json(Escape(outputs[i], outputs[i].size()))},
         {"changes", changes},
         {"left", left}});
  }
  return {{"schema", "ggufcheck/fix/1"},
          {"profile", profile},
          {"written", !outputs.empty()},
          {"files", files}};
}

}  // namespace gguf
