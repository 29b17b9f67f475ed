// Running a profile and keeping what some rules say.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/testing/findings_of.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

namespace gguf {
namespace {

bool IsIn(const std::vector<std::string>& section, const Rule& rule) {
  return std::find(section.begin(), section.end(), rule.id) != section.end();
}

// Calls `line` with each finding and keeps what it returns.
template <class Line>
std::vector<std::string> Lines(const std::vector<std::string>& section,
                               const GgufBuilder& file,
                               absl::string_view profile,
                               absl::string_view name, Line line) {
  const std::string bytes = file.Build();
  const FileReport report =
      Validate(AsBytes(bytes), name, *Profile::Find(profile), {});
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    if (!IsIn(section, *finding.diagnostic.rule)) continue;
    lines.push_back(line(finding));
  }
  return lines;
}

}  // namespace

std::vector<std::string> FindingsOf::In(const GgufBuilder& file,
                                        absl::string_view profile,
                                        absl::string_view name) const {
  return Lines(section, file, profile, name, [](const Finding& finding) {
    return absl::StrCat(SeverityName(finding.severity), " ",
                        finding.diagnostic.rule->id, " ",
                        finding.diagnostic.subject);
  });
}

std::vector<std::string> FindingsOf::MessagesIn(const GgufBuilder& file,
                                                absl::string_view profile,
                                                absl::string_view name) const {
  return Lines(section, file, profile, name, [](const Finding& finding) {
    return absl::StrCat(finding.diagnostic.subject, " ",
                        finding.diagnostic.message);
  });
}

std::vector<std::string> FindingsOf::NotCheckedIn(
    const GgufBuilder& file, absl::string_view profile,
    absl::string_view name) const {
  const std::string bytes = file.Build();
  const FileReport report =
      Validate(AsBytes(bytes), name, *Profile::Find(profile), {});
  std::vector<std::string> lines;
  for (const auto& not_checked : report.not_checked) {
    if (!IsIn(section, *not_checked.rule)) continue;
    lines.push_back(absl::StrCat(not_checked.rule->id, ": ", not_checked.why));
  }
  return lines;
}

}  // namespace gguf
