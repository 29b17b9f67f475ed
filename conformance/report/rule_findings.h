// RuleFindings: the findings in one file, grouped by rule.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_RULE_FINDINGS_H_
#define GGUF_CONFORMANCE_REPORT_RULE_FINDINGS_H_

#include <string>
#include <vector>

#include "conformance/engine/file_report.h"
#include "parser/core/diagnostic.h"
#include "parser/core/rule.h"

namespace gguf {

// The findings of one rule in one file.
struct RuleFindings {
  const Rule* rule = nullptr;
  Severity severity = Severity::kOff;
  uint64_t count = 0;                   // Includes findings that are not kept.
  std::vector<const Diagnostic*> kept;  // Valid as long as the report.
};

// Groups the findings, in the order of the first of each rule.
std::vector<RuleFindings> FindingsByRule(const FileReport& file);

// Rules that were not checked for the same reason.
struct UncheckedRules {
  std::string why;
  std::vector<const char*> ids;
};

// Returns requested rules that were not checked, in the order of the catalogue.
// Omits kNotRequested, and rules not checked because the whole file is
// incomplete.
std::vector<UncheckedRules> UncheckedByReason(const FileReport& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_RULE_FINDINGS_H_
