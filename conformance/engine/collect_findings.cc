// Sorts the findings by their place in the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine/collect_findings.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "conformance/engine/catalogue.h"
#include "parser/core/assert.h"

namespace gguf {

void CollectFindings(const Profile& profile, uint64_t most, Diagnostics* found,
                     FileReport* report) {
  // Positions of the rules with findings, in the order of the catalogue.
  absl::flat_hash_map<const Rule*, size_t> position;
  for (const Rule* rule : Catalogue()) {
    const uint64_t count = found->Count(*rule);
    if (count == 0) continue;
    position.emplace(rule, position.size());
    const Severity severity = profile.SeverityOf(*rule);
    if (count > most) {
      auto& more = severity == Severity::kOff ? report->off.more : report->more;
      more.push_back({rule, severity, count - most});
    }
    if (severity != Severity::kOff) report->counts.of(severity) += count;
  }
  for (Diagnostic& diagnostic : found->TakeKept()) {
    Assert(diagnostic.where.end <= report->size, "a diagnostic lies outside the file");
    const Severity severity = profile.SeverityOf(*diagnostic.rule);
    auto& findings = severity == Severity::kOff ? report->off.findings : report->findings;
    findings.push_back({severity, std::move(diagnostic)});
  }
  const auto key = [&](const Finding& finding) {
    const Diagnostic& diagnostic = finding.diagnostic;
    return std::make_pair(diagnostic.where.begin, position[diagnostic.rule]);
  };
  for (auto* findings : {&report->findings, &report->off.findings}) {
    std::stable_sort(findings->begin(), findings->end(),
                     [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  }
}

}  // namespace gguf
