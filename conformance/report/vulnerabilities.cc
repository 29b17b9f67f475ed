// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/vulnerabilities.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
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

}  // namespace

std::string VulnerabilitiesOf(const Diagnostic& diagnostic) {
  std::string names;
  for (const VulnerabilityRow& row : kVulnerabilities) {
    if (!Holds(row, diagnostic)) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", row.names);
  }
  return names;
}

}  // namespace gguf
