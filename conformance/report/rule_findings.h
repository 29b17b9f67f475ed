// RuleFindings: what was found in one file, rule by rule.
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
  uint64_t count = 0;                   // Kept or not.
  std::vector<const Diagnostic*> kept;  // They live as long as the report.
};

// In the order of the first findings.
std::vector<RuleFindings> FindingsByRule(const FileReport& file);

// Why rules were not checked, and which.
struct UncheckedRules {
  std::string why;
  std::vector<const Rule*> rules;
};

// What somebody asked for: neither kNotRequested, nor why the whole file is
// incomplete.  In the order of the catalogue.
std::vector<UncheckedRules> UncheckedByReason(const FileReport& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_RULE_FINDINGS_H_
