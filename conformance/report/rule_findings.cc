// Groups findings, which a report lists by offset.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/rule_findings.h"

#include "absl/container/flat_hash_map.h"
#include "conformance/rules/check.h"

namespace gguf {

std::vector<RuleFindings> FindingsByRule(const FileReport& file) {
  std::vector<RuleFindings> all;
  absl::flat_hash_map<const Rule*, size_t> places;
  const auto of = [&](const Rule* rule, Severity severity) -> RuleFindings& {
    const auto [place, is_new] = places.emplace(rule, all.size());
    if (is_new) all.push_back({rule, severity});
    return all[place->second];
  };
  for (const Finding& finding : file.findings) {
    RuleFindings& found = of(finding.diagnostic.rule, finding.severity);
    ++found.count;
    found.kept.push_back(&finding.diagnostic);
  }
  for (const FileReport::More& more : file.more) {
    of(more.rule, more.severity).count += more.count;
  }
  return all;
}

std::vector<UncheckedRules> UncheckedByReason(const FileReport& file) {
  std::vector<UncheckedRules> all;
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (const FileReport::NotChecked& rule : file.not_checked) {
    if (rule.meaning == Reason::kNotRequested ||
        rule.meaning == Reason::kIncomplete) {
      continue;
    }
    const absl::string_view why = rule.why.view();
    const auto [place, is_new] = places.emplace(why, all.size());
    if (is_new) all.push_back({std::string(why), {}});
    all[place->second].ids.push_back(rule.rule->id);
  }
  return all;
}

}  // namespace gguf
