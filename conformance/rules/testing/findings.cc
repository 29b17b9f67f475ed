// Running a profile over test files.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/testing/findings.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {

std::vector<std::string> Findings(absl::string_view bytes,
                                  absl::string_view profile,
                                  const Limits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  const FileReport report =
      Validate(AsBytes(bytes), "", *Profile::Find(profile), limits);
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  EXPECT_LT(spent.count(), 1.0);

  std::vector<std::string> lines;
  if (!report.incomplete.empty()) lines.push_back("incomplete");
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    EXPECT_LE(diagnostic.where.end, bytes.size());
    lines.push_back(absl::StrCat(SeverityName(finding.severity), " ",
                                 diagnostic.rule->id, " ", diagnostic.subject));
  }
  return lines;
}

GgufBuilder PlainFile(uint32_t version, bool big_endian) {
  GgufBuilder builder(version, big_endian);
  builder.String("general.architecture", "llama");
  return builder;
}

GgufBuilder FileWithTensor() {
  GgufBuilder builder = PlainFile();
  builder.Tensor("w", {32}, 0);
  return builder;
}

void ExpectFindings(const std::vector<FaultCase>& cases) {
  for (const FaultCase& c : cases) {
    EXPECT_THAT(Findings(c.bytes), testing::ElementsAreArray(c.expected))
        << c.title;
  }
}

}  // namespace gguf
