// Computes verdicts and totals.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/report.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/rules/catalogue.h"

namespace gguf {

Result ResultOf(const FileReport& file, Severity fail_on) {
  if (!file.incomplete.empty()) return Result::kIncomplete;
  const bool errors = file.counts.error > 0;
  const bool warnings = file.counts.warning > 0 && fail_on <= Severity::kWarning;
  const bool notes = file.counts.note > 0 && fail_on <= Severity::kNote;
  return errors || warnings || notes ? Result::kFail : Result::kPass;
}

void SettleSet(Severity fail_on, std::vector<FileReport>* reports) {
  if (!reports->front().shard) return;
  Result worst = Result::kPass;
  for (const FileReport& report : *reports) worst = std::max(worst, ResultOf(report, fail_on));
  reports->front().shard->result = ResultName(worst);
}

const char* ResultName(Result result) {
  switch (result) {
    case Result::kPass:
      return "pass";
    case Result::kFail:
      return "fail";
    case Result::kIncomplete:
      return "incomplete";
  }
  return "";
}

std::optional<Result> FindResult(absl::string_view name) {
  for (const Result result : {Result::kPass, Result::kFail, Result::kIncomplete}) {
    if (ResultName(result) == name) return result;
  }
  return std::nullopt;
}

namespace {

// Returns the built-in profile of this name, or the default one.
const Profile& NamedProfile(absl::string_view name) {
  const Profile* profile = Profile::Find(name);
  return profile != nullptr ? *profile : *Profile::Find(Profile::kDefault);
}

// Adds the missing lines, and keeps all in order.
void AddLines(const std::vector<KnownFinding>& from, std::vector<KnownFinding>* to) {
  const auto before = [](const KnownFinding& a, const KnownFinding& b) {
    return std::tie(a.file, a.rule, a.subject, a.reason) <
           std::tie(b.file, b.rule, b.subject, b.reason);
  };
  std::set<KnownFinding, decltype(before)> all(to->begin(), to->end(), before);
  all.insert(from.begin(), from.end());
  to->assign(all.begin(), all.end());
}

}  // namespace

std::vector<Run::RuleSeverity> SeveritiesOf(const Profile& profile) {
  const Profile& named = NamedProfile(profile.name());
  std::vector<Run::RuleSeverity> changed;
  for (const Rule* rule : Catalogue()) {
    const Severity severity = profile.SeverityOf(*rule);
    if (severity == named.SeverityOf(*rule)) continue;
    changed.push_back({rule, severity});
  }
  return changed;
}

Profile ProfileOf(const Run& run) {
  Profile profile = NamedProfile(run.profile).Named(run.profile);
  for (const auto& [rule, severity] : run.severities) {
    profile.Override(*rule, severity);
  }
  return profile;
}

void BaselineOutcome::Add(const BaselineOutcome& other) {
  known += other.known;
  AddLines(other.stale, &stale);
  AddLines(other.refused, &refused);
}

void BaseUse::Add(const FileReport& file) {
  if (!file.with_base) {
    unknown_ = true;
    return;
  }
  compared_ |= file.with_base->compared;
  if (why_not_.empty()) why_not_ = file.with_base->why_not;
}

std::string BaseUse::WhyNone() const {
  if (unknown_ || compared_ || why_not_.empty()) return "";
  return absl::StrCat("no file was compared with the base: ", why_not_);
}

void Totals::Add(const FileReport& file, Severity fail_on) {
  with_base.Add(file);
  const Result result = ResultOf(file, fail_on);
  ++(result == Result::kPass ? pass : result == Result::kFail ? fail : incomplete);
  counts.error += file.counts.error;
  counts.warning += file.counts.warning;
  counts.note += file.counts.note;
}

std::string CountsText(const FileReport::Counts& counts) {
  return absl::StrCat(Count(counts.error, "error"), ", ", Count(counts.warning, "warning"), ", ",
                      Count(counts.note, "note"));
}

std::string KnownCount(const FileReport& file) {
  if (file.known.empty()) return "";
  return absl::StrCat(Count(file.known.size(), "finding"), " in the baseline");
}

std::string Summary(const Totals& totals) {
  const std::string known =
      totals.baseline ? absl::StrCat("; ", totals.baseline->known, " known") : "";
  return absl::StrCat(Count(totals.files(), "file"), ": ", totals.pass, " pass, ", totals.fail,
                      " fail, ", totals.incomplete, " incomplete; ", CountsText(totals.counts),
                      known);
}

int ExitCode(const Totals& totals) {
  if (totals.files() == 0 || !totals.complete()) return 3;
  return totals.fail > 0 ? 1 : 0;
}

const char* ResultName(const Totals& totals) {
  const int code = ExitCode(totals);
  return ResultName(code == 0 ? Result::kPass : code == 1 ? Result::kFail : Result::kIncomplete);
}

}  // namespace gguf
