// Vulnerabilities by finding.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/vulnerabilities.h"

#include <string>

#include "conformance/engine/catalogue.h"
#include "conformance/tables/vulnerabilities.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

Diagnostic Of(const char* rule, const char* name, const char* value) {
  Diagnostic diagnostic;
  diagnostic.rule = FindRule(rule);
  diagnostic.args = {{name, value}};
  return diagnostic;
}

TEST(VulnerabilitiesTest, ByRuleAndNumber) {
  EXPECT_EQ(VulnerabilitiesOf(Of("tensor-data-in-file", "offset", "64")),
            "CVE-2026-7482 (ollama)");
  EXPECT_EQ(
      VulnerabilitiesOf(Of("tensor-data-in-file", "offset", "1099511627776")),
      "CVE-2026-7482 (ollama), CVE-2025-62609 (mlx), CVE-2026-108955 "
      "(PowerInfer)");
  EXPECT_EQ(VulnerabilitiesOf(Of("file-complete", "length", "100")), "");
  EXPECT_EQ(VulnerabilitiesOf(Of("file-complete", "size", "9999999999")), "");
  EXPECT_EQ(VulnerabilitiesOf(Of("architecture-known", "name", "x")), "");
}

TEST(VulnerabilitiesTest, OfAllFindingsOfARule) {
  const Diagnostic near = Of("tensor-data-in-file", "offset", "64");
  const Diagnostic far = Of("tensor-data-in-file", "offset", "1099511627776");
  EXPECT_EQ(VulnerableReaders({&near, &far}),
            "Readers that lacked this check: CVE-2026-7482 (ollama), "
            "CVE-2025-62609 (mlx), CVE-2026-108955 (PowerInfer).");
  EXPECT_EQ(VulnerableReaders({}), "");
}

TEST(VulnerabilitiesTest, EachRowIsOfARule) {
  for (const VulnerabilityRow& row : kVulnerabilities) {
    EXPECT_NE(FindRule(row.rule), nullptr) << row.rule;
  }
}

}  // namespace
}  // namespace gguf
