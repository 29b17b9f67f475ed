// Parses lines of JSON and matches them with findings; reads and writes baseline files, and
// composes warnings about them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/baseline.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/base/json.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/check/files.h"
#include "conformance/check/rule_selection.h"
#include "conformance/report/report_members.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/causes/causes.h"
#include "corpus/language/image.h"

namespace gguf {
namespace {

constexpr size_t kLongestLine = 64 << 10;

// Parses a line into *known; returns an error message, or an empty string.
std::string ParseLine(absl::string_view line, KnownFinding* known) {
  constexpr char kShape[] = "expected an object with the strings file, rule, subject and reason";
  if (line.size() > kLongestLine) return "the line is too long";
  const Json json = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!RecordReader::Read(json, known).ok() || json.size() != RecordWriter::Write(*known).size()) {
    return kShape;
  }
  if (FindRule(known->rule) != nullptr) return "";
  return std::string(NoSuchRule(known->rule).message());
}

// Returns whether a baseline must not accept findings of the rule by default.
bool IsUnsafe(const Rule& rule) {
  static const Profile& safety = *Profile::Find("safety");
  return safety.SeverityOf(rule) == Severity::kError;
}

// Returns whether the report contains all findings of a rule.
bool SaysAll(const FileReport& report, const Profile& profile, const Rule& rule) {
  const auto is_rule = [&](const auto& row) { return row.rule == &rule; };
  return report.incomplete.empty() && profile.SeverityOf(rule) != Severity::kOff &&
         std::none_of(report.more.begin(), report.more.end(), is_rule) &&
         std::none_of(report.not_checked.begin(), report.not_checked.end(), is_rule);
}

// Removes the findings for which `take` returns true from the report and its
// counts, and returns them.  If the parser could not continue after one of
// them, the report becomes incomplete: such a file must not pass.
std::vector<Finding> TakeFindings(const std::function<bool(const Finding&)>& take,
                                  FileReport* report) {
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
  CountCauses(report);
  return taken;
}

}  // namespace

absl::StatusOr<Baseline> Baseline::Parse(absl::string_view text, absl::string_view name,
                                         Reasons reasons) {
  Baseline baseline;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    KnownFinding known;
    std::string wrong = ParseLine(line, &known);
    if (wrong.empty() && known.reason.empty() && reasons == Reasons::kNeeded) {
      wrong = "the reason is empty: explain why the finding is accepted";
    }
    const Rule* const rule = FindRule(known.rule);
    if (rule != nullptr && known.rule != rule->id) {
      baseline.old_ids_.insert(OldIdIn(known.rule));
      known.rule = rule->id;
    }
    const Key key(known.file, known.rule, known.subject);
    if (wrong.empty() && !baseline.lines_.emplace(key, Line{known.reason}).second) {
      wrong = "duplicate of another line";
    }
    if (wrong.empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Escape(name, name.size()), ":", number, ": ", wrong));
  }
  return baseline;
}

void Baseline::Apply(const std::string& file, const Profile& profile, bool safety,
                     FileReport* report) {
  const auto find = [&](const Finding& finding) {
    const Diagnostic& d = finding.diagnostic;
    return lines_.find(Key(file, d.rule->id, d.subject));
  };
  std::vector<Finding> known = TakeFindings(
      [&](const Finding& finding) {
        const auto line = find(finding);
        if (line == lines_.end()) return false;
        const bool refused = IsUnsafe(*finding.diagnostic.rule) && !safety;
        line->second.state = refused ? State::kRefused : State::kFound;
        return !refused;
      },
      report);
  known_ += known.size();
  for (Finding& finding : known) {
    std::string reason = find(finding)->second.reason;
    report->known.push_back({std::move(finding), std::move(reason)});
  }
  for (auto at = FirstOf(file); at != lines_.end() && std::get<0>(at->first) == file; ++at) {
    if (at->second.state == State::kUnseen &&
        SaysAll(*report, profile, *FindRule(std::get<1>(at->first)))) {
      at->second.state = State::kStale;
    }
  }
}

void Baseline::Learn(const std::string& file, const Profile& profile, bool safety,
                     const std::string& reason, FileReport* report) {
  for (const Finding& finding : report->findings) {
    const Diagnostic& d = finding.diagnostic;
    if (IsUnsafe(*d.rule) && !safety) continue;
    Line& line = lines_[Key(file, d.rule->id, d.subject)];
    if (line.reason.empty()) line.reason = reason;
  }
  Apply(file, profile, safety, report);
}

std::set<std::string> Baseline::UnseenFiles() const {
  std::set<std::string> files;
  for (const auto& [key, line] : lines_) {
    if (line.state == State::kUnseen) files.insert(std::get<0>(key));
  }
  return files;
}

void Baseline::Forget(const std::string& file) {
  for (auto at = FirstOf(file); at != lines_.end() && std::get<0>(at->first) == file; ++at) {
    at->second.state = State::kStale;
  }
}

std::vector<KnownFinding> Baseline::All(State state) const {
  std::vector<KnownFinding> all;
  for (const auto& [key, line] : lines_) {
    if (line.state != state) continue;
    const auto& [file, rule, subject] = key;
    all.push_back({file, rule, subject, line.reason});
  }
  return all;
}

BaselineOutcome Baseline::Outcome() const {
  return {known_, All(State::kStale), All(State::kRefused)};
}

std::string Baseline::Text() const {
  std::string text;
  for (const auto& [key, line] : lines_) {
    if (line.state == State::kStale || line.state == State::kRefused) continue;
    const auto& [file, rule, subject] = key;
    const KnownFinding known = {file, rule, subject, line.reason};
    absl::StrAppend(&text, JsonText(RecordWriter::Write(known)), "\n");
  }
  return text;
}

size_t Baseline::without_reason() const {
  return std::count_if(lines_.begin(), lines_.end(), [](const auto& entry) {
    const Line& line = entry.second;
    return line.reason.empty() && (line.state == State::kUnseen || line.state == State::kFound);
  });
}

void IgnoreRules(const std::set<const Rule*>& rules, FileReport* report) {
  const auto is_ignored = [&](const auto& row) { return rules.count(row.rule) > 0; };
  const auto erase = [&](auto* rows) {
    rows->erase(std::remove_if(rows->begin(), rows->end(), is_ignored), rows->end());
  };
  TakeFindings([&](const Finding& finding) { return is_ignored(finding.diagnostic); }, report);
  for (const FileReport::More& more : report->more) {
    if (is_ignored(more)) report->counts.of(more.severity) -= more.count;
  }
  erase(&report->more);
  erase(&report->not_checked);
  CountCauses(report);
}

// Reads and writes baseline files, and composes warnings about them.

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestBaseline = 64 << 20;

absl::StatusOr<std::string> ReadBaseline(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > kLargestBaseline) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot read ", path, ": the file is larger than ", kLargestBaseline, " bytes"));
  }
  return corpus::ReadRegularFile(path);
}

std::string Shown(const KnownFinding& known) {
  return absl::StrCat(known.file, ", ", known.rule, ", ", known.subject);
}

}  // namespace

BaselineFile::BaselineFile(const CheckOptions& options)
    : options_(&options), folder_(FolderOf(path())) {}

absl::StatusOr<BaselineFile> BaselineFile::Open(const CheckOptions& options) {
  BaselineFile file(options);
  std::error_code error;
  const bool write = !options.write_baseline.empty();
  if (write && !fs::exists(file.path(), error)) return file;
  const auto text = ReadBaseline(file.path());
  if (!text.ok()) return text.status();
  auto baseline = Baseline::Parse(
      *text, file.path(), write ? Baseline::Reasons::kOptional : Baseline::Reasons::kNeeded);
  if (!baseline.ok()) return baseline.status();
  file.baseline_ = *std::move(baseline);
  return file;
}

void BaselineFile::Settle(const Profile& profile, FileReport* report) {
  const std::string path = PathFrom(folder_, report->path);
  const std::string shown = Escape(path, path.size());
  if (options_->write_baseline.empty()) {
    baseline_.Apply(shown, profile, options_->baseline_safety, report);
    return;
  }
  baseline_.Learn(shown, profile, options_->baseline_safety, options_->baseline_reason, report);
  unsafe_ += report->findings.size();
  if (not_all_kept_.empty() && !report->more.empty()) {
    const FileReport::More& more = report->more[0];
    not_all_kept_ = absl::StrCat(more.count, " more findings of ", more.rule->id, " in ", shown);
  }
}

absl::Status BaselineFile::Finish(bool complete) {
  std::error_code error;
  for (const std::string& file : baseline_.UnseenFiles()) {
    // An escaped name cannot be looked up on disk.
    if (file == "-" || absl::StrContains(file, '\\')) continue;
    if (!fs::exists(fs::path(folder_) / file, error) && !error) {
      baseline_.Forget(file);
    }
  }
  if (options_->write_baseline.empty()) return absl::OkStatus();
  if (!complete) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write ", options_->write_baseline, ": not all files were checked"));
  }
  if (!not_all_kept_.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("cannot write ", options_->write_baseline,
                                                      ": ", not_all_kept_,
                                                      " were not kept; raise --limit-findings"));
  }
  return ReplaceFile(options_->write_baseline, baseline_.Text(), InputFiles());
}

std::vector<std::string> BaselineFile::Warnings() const {
  const BaselineOutcome outcome = baseline_.Outcome();
  std::vector<std::string> lines;
  const auto add = [&](auto... parts) { lines.push_back(absl::StrCat(path(), ": ", parts...)); };
  for (const std::string& old_id : baseline_.old_ids()) add(old_id);
  if (options_->write_baseline.empty()) {
    for (const KnownFinding& known : outcome.stale) {
      add("stale, no longer found: ", Shown(known));
    }
  }
  for (const KnownFinding& known : outcome.refused) {
    add("an error of the profile safety still counts without --baseline-safety: ", Shown(known));
  }
  if (unsafe_ > 0) {
    add("omitted ", unsafe_, unsafe_ == 1 ? " error" : " errors",
        " of the profile safety; use --baseline-safety to include them");
  }
  if (!options_->write_baseline.empty() && baseline_.without_reason() > 0) {
    add(baseline_.without_reason(),
        " of its lines have no reason yet; --baseline requires a reason in every line");
  }
  return lines;
}

}  // namespace gguf
