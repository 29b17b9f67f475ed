// Finds the fixes that write other bytes in the place of a finding's.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>

#include "conformance/fix/plan.h"
#include "conformance/rules/catalogue.h"

namespace gguf {

void AddReplacements(const Source& file, FixOptions options, FileReport* report) {
  constexpr uint64_t kLongest = 4096;
  if (report->format != "gguf") return;
  std::set<const Rule*> rules;
  for (const Finding& finding : report->findings) rules.insert(finding.diagnostic.rule);
  for (const Rule* rule : rules) {
    // Fixes of other rules may move bytes.
    options.only = rule;
    if (!MayFix(*rule, options)) continue;
    if (options.interrupted && options.interrupted()) return;
    const auto plan = MakePlan({file}, options);
    if (!plan.ok() || plan->front().result == nullptr) continue;
    const Spliced& result = *plan->front().result;
    if (!result.keeps_places()) continue;
    const absl::string_view old = AsText(result.original().prefix), now = result.tables();
    for (Finding& finding : report->findings) {
      const Range where = finding.diagnostic.where;
      if (finding.diagnostic.rule != rule || where.size() > kLongest) continue;
      if (where.end > std::min(old.size(), now.size())) continue;
      const absl::string_view bytes = now.substr(where.begin, where.size());
      const bool differs = old.substr(where.begin, where.size()) != bytes;
      if (differs) finding.replacement = std::string(bytes);
    }
  }
}

}  // namespace gguf
