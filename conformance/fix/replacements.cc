// Finds the fixes that write other bytes in the place of a finding's.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/algorithm/container.h"
#include "conformance/fix/plan.h"
#include "conformance/rules/catalogue.h"

namespace gguf {

void AddReplacements(const Source& file, const FixOptions& options, FileReport* report) {
  constexpr uint64_t kLongest = 4096;
  const auto may_fix = [&](const Finding& finding) {
    return MayFix(*finding.diagnostic.rule, options);
  };
  if (report->format != "gguf" || absl::c_none_of(report->findings, may_fix)) return;
  const auto plan = MakePlan({file}, options);
  if (!plan.ok() || plan->front().result == nullptr) return;
  const Spliced& result = *plan->front().result;
  if (!result.keeps_places()) return;
  const absl::string_view old = AsText(result.original().prefix), now = result.tables();
  for (Finding& finding : report->findings) {
    const Range where = finding.diagnostic.where;
    if (where.size() > kLongest || where.end > std::min(old.size(), now.size())) continue;
    const absl::string_view bytes = now.substr(where.begin, where.size());
    const bool differs = old.substr(where.begin, where.size()) != bytes;
    if (differs && may_fix(finding)) finding.replacement = std::string(bytes);
  }
}

}  // namespace gguf
