// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/vulnerabilities.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "conformance/report/rule_findings.h"
#include "conformance/tables/vulnerabilities.h"

namespace gguf {
namespace {

bool Holds(const VulnerabilityRow& row, const Diagnostic& diagnostic) {
  if (diagnostic.rule->id != absl::string_view(row.rule)) return false;
  uint64_t above = 0;
  if (!absl::SimpleAtoi(row.above, &above)) return true;
  for (const auto& [name, text] : diagnostic.args) {
    uint64_t number = 0;
    if (name == row.of && absl::SimpleAtoi(text, &number)) {
      return number > above;
    }
  }
  return false;
}

// Returns the records of all findings, in the order of the table.
std::string NamesOf(absl::Span<const Diagnostic* const> findings) {
  std::string names;
  for (const VulnerabilityRow& row : kVulnerabilities) {
    if (absl::c_none_of(findings, [&](const Diagnostic* diagnostic) {
          return Holds(row, *diagnostic);
        })) {
      continue;
    }
    absl::StrAppend(&names, names.empty() ? "" : ", ", row.names);
  }
  return names;
}

}  // namespace

std::string VulnerabilitiesOf(const Diagnostic& diagnostic) {
  return NamesOf({&diagnostic});
}

std::string VulnerableReaders(const std::vector<const Diagnostic*>& findings) {
  const std::string names = NamesOf(findings);
  return names.empty()
             ? ""
             : absl::StrCat("Readers that lacked this check: ", names, ".");
}

std::map<const Rule*, std::string> VulnerableReadersByRule(
    const FileReport& file) {
  std::map<const Rule*, std::string> readers;
  for (const RuleFindings& found : FindingsByRule(file)) {
    const std::string names = VulnerableReaders(found.kept);
    if (!names.empty()) readers.emplace(found.rule, names);
  }
  return readers;
}

}  // namespace gguf
