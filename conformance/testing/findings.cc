// Runs a profile over test files.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"

#include <algorithm>
#include <ctime>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// The maximum CPU time in seconds for any small file; sanitizers need ten times
// as much.
#ifdef __clang__  // The sanitized build.
constexpr double kMostSeconds = 10;
#else
constexpr double kMostSeconds = 1;
#endif

std::string Line(const Finding& finding) {
  return absl::StrCat(SeverityName(finding.severity), " ", finding.diagnostic.rule->id, " ",
                      finding.diagnostic.subject);
}

// Returns the built-in profile with the rules in preview.
Profile ProfileOf(absl::string_view name) {
  Profile profile = *Profile::Find(name);
  profile.EnablePreview();
  return profile;
}

std::vector<std::string> FindingsIn(absl::string_view bytes, absl::string_view profile,
                                    const Limits& limits, Scope scope) {
  const std::clock_t begin = std::clock();
  const FileReport report = Validate(AsBytes(bytes), ProfileOf(profile), {limits});
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, kMostSeconds);

  std::vector<std::string> lines;
  if (!report.incomplete.empty()) lines.push_back("incomplete");
  for (const Finding& finding : report.findings) {
    EXPECT_LE(finding.diagnostic.where.end, bytes.size());
    if (finding.diagnostic.rule->scope != scope) continue;
    lines.push_back(Line(finding));
  }
  return lines;
}

bool IsIn(const std::vector<std::string>& section, const Rule& rule) {
  return std::find(section.begin(), section.end(), rule.id) != section.end();
}

FileReport ReportOn(const GgufBuilder& file, absl::string_view profile, absl::string_view name) {
  const std::string bytes = file.Build();
  return Validate({AsBytes(bytes), name}, ProfileOf(profile), {});
}

}  // namespace

void LeaveOutModels(FileReport* report) {
  const auto of_models = [](const Rule* rule) { return rule->scope == Scope::kModel; };
  auto& findings = report->findings;
  for (const Finding& finding : findings) {
    if (!of_models(finding.diagnostic.rule)) continue;
    --report->counts.of(finding.severity);
  }
  findings.erase(
      std::remove_if(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return of_models(finding.diagnostic.rule); }),
      findings.end());
  auto& skipped = report->not_checked;
  skipped.erase(
      std::remove_if(skipped.begin(), skipped.end(),
                     [&](const FileReport::NotChecked& entry) { return of_models(entry.rule); }),
      skipped.end());
}

std::vector<std::string> Findings(absl::string_view bytes, absl::string_view profile,
                                  const Limits& limits) {
  return FindingsIn(bytes, profile, limits, Scope::kContainer);
}

std::vector<std::string> ModelFindings(absl::string_view bytes, absl::string_view profile) {
  return FindingsIn(bytes, profile, {}, Scope::kModel);
}

std::vector<std::string> HparamFindings(const GgufBuilder& file, absl::string_view profile) {
  std::vector<std::string> lines = ModelFindings(file.Build(), profile);
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const std::string& line) {
                               return absl::StrContains(line, "keys-present") ||
                                      absl::StrContains(line, " graph-");
                             }),
              lines.end());
  return lines;
}

std::vector<std::string> FindingsOf::In(const GgufBuilder& file, absl::string_view profile,
                                        absl::string_view name) const {
  std::vector<std::string> lines;
  for (const Finding& finding : ReportOn(file, profile, name).findings) {
    if (IsIn(section, *finding.diagnostic.rule)) lines.push_back(Line(finding));
  }
  return lines;
}

std::vector<std::string> FindingsOf::MessagesIn(const GgufBuilder& file, absl::string_view profile,
                                                absl::string_view name) const {
  std::vector<std::string> lines;
  for (const Finding& finding : ReportOn(file, profile, name).findings) {
    const Diagnostic& found = finding.diagnostic;
    if (!IsIn(section, *found.rule)) continue;
    lines.push_back(absl::StrCat(found.subject, " ", found.message));
  }
  return lines;
}

std::vector<std::string> FindingsOf::NotCheckedIn(const GgufBuilder& file,
                                                  absl::string_view profile,
                                                  absl::string_view name) const {
  std::vector<std::string> lines;
  for (const auto& entry : ReportOn(file, profile, name).not_checked) {
    if (!IsIn(section, *entry.rule)) continue;
    lines.push_back(absl::StrCat(entry.rule->id, ": ", entry.why.view()));
  }
  return lines;
}

GgufBuilder FileOf(absl::string_view architecture) {
  GgufBuilder builder;
  builder.String("general.architecture", std::string(architecture));
  return builder;
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
    EXPECT_THAT(Findings(c.bytes), testing::ElementsAreArray(c.expected)) << c.title;
  }
}

}  // namespace gguf
