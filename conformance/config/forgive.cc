// Removes findings from reports and updates their counts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/forgive.h"

#include <algorithm>
#include <utility>

namespace gguf {
namespace {

// Returns a predicate: does a row belong to one of the rules?
template <class Row>
auto IsOf(const std::set<const Rule*>& rules) {
  return [&rules](const Row& row) { return rules.count(row.rule) > 0; };
}

template <class Row>
void Erase(const std::set<const Rule*>& rules, std::vector<Row>* rows) {
  rows->erase(std::remove_if(rows->begin(), rows->end(), IsOf<Row>(rules)),
              rows->end());
}

}  // namespace

std::vector<Finding> TakeFindings(
    const std::function<bool(const Finding&)>& take, FileReport* report) {
  std::vector<Finding> taken;
  std::vector<Finding> left;
  for (Finding& finding : report->findings) {
    const Rule* rule = finding.diagnostic.rule;
    if (!take(finding)) {
      left.push_back(std::move(finding));
      continue;
    }
    --report->counts.of(finding.severity);
    if (rule == report->stopped_by && report->incomplete.empty()) {
      report->incomplete = report->stopped;
    }
    taken.push_back(std::move(finding));
  }
  report->findings = std::move(left);
  return taken;
}

void IgnoreRules(const std::set<const Rule*>& rules, FileReport* report) {
  if (rules.empty()) return;
  TakeFindings(
      [&](const Finding& finding) {
        return rules.count(finding.diagnostic.rule) > 0;
      },
      report);
  for (const FileReport::More& more : report->more) {
    if (rules.count(more.rule) == 0) continue;
    report->counts.of(more.severity) -= more.count;
  }
  Erase(rules, &report->more);
  Erase(rules, &report->not_checked);
}

}  // namespace gguf
