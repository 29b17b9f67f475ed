// Tries fixes on copies of the tables, and keeps those after which a check finds less.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/fix/plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/fix/methods.h"
#include "conformance/model/shard_set.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/causes/causes.h"
#include "parser/parse.h"

namespace gguf {
namespace {

using RuleSet = std::set<const Rule*>;

// A fix may show what another one can repair; each round but the last repairs something.
constexpr int kMostRounds = 16;
// Kept of each rule, so that new findings can be told from others.
constexpr uint64_t kKeptFindings = 1 << 14;

std::map<const Rule*, uint64_t> CountsOf(const FileReport& report) {
  std::map<const Rule*, uint64_t> counts;
  for (const Finding& finding : report.findings) ++counts[finding.diagnostic.rule];
  for (const FileReport::More& more : report.more) counts[more.rule] += more.count;
  return counts;
}

class Planner {
 public:
  Planner(const std::vector<Source>& files, const FixOptions& options)
      : files_(files), options_(options), check_(options.check), profile_(options.profile) {
    check_.limits.findings_per_rule = kKeptFindings;
    if (options.source != nullptr) {
      for (const Rule* rule : RulesAgainst(Against::kOrigin)) {
        profile_.Override(*rule, Severity::kWarning);
      }
    }
    planned_.resize(files.size());
  }

  absl::StatusOr<std::vector<PlannedFile>> Run() {
    std::vector<FileReport> before = Check(planned_);
    for (size_t i = 0; i < files_.size(); ++i) {
      planned_[i].before = planned_[i].after = std::move(before[i]);
      absl::Status usable = CheckUsable(planned_[i].before);
      if (!usable.ok()) return usable;
    }
    if (LacksShards()) {
      return absl::FailedPreconditionError("not all shards of the model are there");
    }
    if (!options_.wishes.empty()) {
      absl::Status granted = GrantWishes();
      if (!granted.ok()) return granted;
    }
    if (options_.wishes.empty() || options_.all) FixAll();
    return std::move(planned_);
  }

 private:
  absl::Status CheckUsable(const FileReport& report) const;
  bool LacksShards() const;
  std::vector<FileReport> Check(const std::vector<PlannedFile>& planned) const;
  Source SourceOf(const PlannedFile& planned, size_t i) const {
    return planned.result != nullptr ? planned.result->source() : files_[i];
  }

  // The files as they are now, parsed.
  struct Parsed {
    std::vector<std::unique_ptr<Diagnostics>> found;
    std::vector<std::unique_ptr<Model>> models;
    std::optional<ShardSet> set;
    std::vector<std::unique_ptr<Draft>> drafts;
  };
  std::unique_ptr<Parsed> Parse() const;

  absl::Status GrantWishes();
  void FixAll();
  // Returns the rules with findings that may be fixed and were not given up.
  RuleSet Fixable() const;
  // Fixes the findings of some rules.  Returns false, and changes nothing, if that does not work.
  void TryEach(const Rule& rule);
  // Of all findings, or of those with a subject.
  bool Try(const RuleSet& rules, const std::string* subject = nullptr);
  std::vector<PlannedFile> Applied(const Parsed& parsed) const;

  const std::vector<Source>& files_;
  const FixOptions& options_;
  CheckOptions check_;
  Profile profile_;
  std::vector<PlannedFile> planned_;
  RuleSet given_up_;
};

absl::Status Planner::CheckUsable(const FileReport& report) const {
  if (report.format != "gguf") {
    return absl::FailedPreconditionError(absl::StrCat(
        "is not a GGUF file", report.about.empty() ? "" : "; convert it first: ", report.about));
  }
  if (!report.stopped.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot be read to its end: ", report.stopped));
  }
  for (const CauseKind& kind : CauseKinds()) {
    for (const Cause& cause : report.causes) {
      if (kind.is_of_whole_file && cause.kind == kind.id) {
        return absl::FailedPreconditionError(absl::StrCat(cause.message, " ", cause.repair));
      }
    }
  }
  if (!report.incomplete.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("not checked: ", report.incomplete));
  }
  return absl::OkStatus();
}

bool Planner::LacksShards() const {
  const auto parsed = Parse();
  const auto count = parsed->models[0]->hparams().Get(Symbol::kSplitCount);
  return parsed->set ? parsed->set->shards().size() < parsed->set->count() : count.value_or(1) > 1;
}

std::vector<FileReport> Planner::Check(const std::vector<PlannedFile>& planned) const {
  Expected expected;
  expected.origin = options_.source;
  Work work;
  work.interrupted = options_.interrupted;
  std::vector<ShardFile> shards;
  for (size_t i = 0; i < files_.size(); ++i) {
    shards.push_back({SourceOf(planned[i], i), "", expected});
  }
  std::vector<FileReport> reports;
  if (shards.size() > 1) return ValidateSet(shards, profile_, check_, work);
  reports.push_back(Validate(shards[0].source, profile_, check_, expected, work));
  return reports;
}

std::unique_ptr<Planner::Parsed> Planner::Parse() const {
  auto parsed = std::make_unique<Parsed>();
  std::vector<ShardSet::Shard> shards;
  bool is_set = files_.size() > 1;
  for (size_t i = 0; i < files_.size(); ++i) {
    parsed->found.push_back(std::make_unique<Diagnostics>(0));
    parsed->models.push_back(std::make_unique<Model>(
        gguf::Parse(SourceOf(planned_[i], i), check_.limits, parsed->found.back().get()),
        check_.limits));
    Model& model = *parsed->models.back();
    if (is_set) shards.push_back({files_[i].name, *ParseShardName(files_[i].name), &model});
  }
  if (is_set) parsed->set.emplace(std::move(shards));
  for (const auto& model : parsed->models) {
    parsed->drafts.push_back(std::make_unique<Draft>(model->file));
  }
  return parsed;
}

std::vector<PlannedFile> Planner::Applied(const Parsed& parsed) const {
  std::vector<PlannedFile> next(files_.size());
  for (size_t i = 0; i < files_.size(); ++i) {
    const Draft& draft = *parsed.drafts[i];
    const PlannedFile& now = planned_[i];
    next[i].changes = now.changes;
    next[i].changes.insert(next[i].changes.end(), draft.changes().begin(), draft.changes().end());
    if (!draft.changes().empty()) {
      next[i].result = std::make_unique<Spliced>(draft.Splice(files_[i], now.result.get()));
    } else if (now.result != nullptr) {
      next[i].result = std::make_unique<Spliced>(*now.result);
    }
  }
  return next;
}

absl::Status Planner::GrantWishes() {
  const auto parsed = Parse();
  parsed->drafts[0]->Because(nullptr, "");
  absl::Status applied = ApplyWishes(options_.wishes, *parsed->models[0], parsed->drafts[0].get());
  if (!applied.ok()) return applied;
  if (!parsed->drafts[0]->states_alignment()) {
    return absl::InvalidArgumentError("general.alignment cannot be changed without the layout");
  }
  std::vector<PlannedFile> next = Applied(*parsed);
  std::vector<FileReport> after = Check(next);
  std::vector<std::string> worse;
  for (size_t i = 0; i < files_.size(); ++i) {
    for (std::string& line : NewFindings(planned_[i].before, after[i])) worse.push_back(line);
    next[i].before = std::move(planned_[i].before);
    next[i].after = std::move(after[i]);
  }
  if (!worse.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the result would have new findings: ", absl::StrJoin(worse, "; ")));
  }
  planned_ = std::move(next);
  return absl::OkStatus();
}

RuleSet Planner::Fixable() const {
  RuleSet rules;
  for (const PlannedFile& planned : planned_) {
    for (const Finding& finding : planned.after.findings) {
      const Rule* rule = finding.diagnostic.rule;
      if (MayFix(*rule, options_) && given_up_.count(rule) == 0) rules.insert(rule);
    }
  }
  return rules;
}

void Planner::FixAll() {
  for (int round = 0; round < kMostRounds; ++round) {
    const RuleSet rules = Fixable();
    if (rules.empty()) return;
    if (Try(rules)) continue;
    // Some cannot be fixed, or not together: one after the other.
    for (const Rule* rule : rules) {
      if (options_.interrupted && options_.interrupted()) return;
      if (Try({rule})) continue;
      TryEach(*rule);
      given_up_.insert(rule);
    }
  }
}

// Tries the fixes of one rule that cannot all be kept.
void Planner::TryEach(const Rule& rule) {
  constexpr size_t kMost = 32;
  std::set<std::string> subjects;
  for (const PlannedFile& planned : planned_) {
    for (const Finding& finding : planned.after.findings) {
      if (finding.diagnostic.rule != &rule || subjects.size() == kMost) continue;
      subjects.insert(finding.diagnostic.subject);
    }
  }
  if (subjects.size() < 2) return;
  for (const std::string& subject : subjects) {
    if (options_.interrupted && options_.interrupted()) return;
    Try({&rule}, &subject);
  }
}

bool Planner::Try(const RuleSet& rules, const std::string* subject) {
  const auto parsed = Parse();
  RuleSet tried;
  for (size_t i = 0; i < files_.size(); ++i) {
    Draft& draft = *parsed->drafts[i];
    for (const Finding& finding : planned_[i].after.findings) {
      const Diagnostic& found = finding.diagnostic;
      if (rules.count(found.rule) == 0) continue;
      if (subject != nullptr && *subject != found.subject) continue;
      const FixRow& row = FixOf(*found.rule);
      const SourceModel* source = options_.source != nullptr ? options_.source->source() : nullptr;
      const Attempt attempt = {*parsed->models[i], planned_[i].after, found, row, source, draft};
      draft.Because(found.rule, absl::StrCat(found.subject, " ", found.message));
      const Method method = MethodOf(row.by);
      const size_t had = draft.changes().size();
      if (!FixFromSource(attempt) && method != nullptr) method(attempt);
      // Also of a method that gave up halfway: its rule then stays, and this is not kept.
      if (draft.changes().size() > had) tried.insert(found.rule);
    }
  }
  if (tried.empty()) return false;
  for (const auto& draft : parsed->drafts) {
    if (!draft->changes().empty() && !draft->states_alignment()) return false;
  }
  std::vector<PlannedFile> next = Applied(*parsed);
  std::vector<FileReport> after = Check(next);
  std::map<const Rule*, int64_t> difference;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!NewFindings(planned_[i].before, after[i]).empty()) return false;
    for (const auto& [rule, count] : CountsOf(planned_[i].after)) difference[rule] += count;
    for (const auto& [rule, count] : CountsOf(after[i])) difference[rule] -= count;
  }
  for (const Rule* rule : tried) {
    if (difference[rule] <= 0) return false;
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    next[i].before = std::move(planned_[i].before);
    next[i].after = std::move(after[i]);
  }
  planned_ = std::move(next);
  return true;
}

}  // namespace

bool MayFix(const Rule& rule, const FixOptions& options) {
  if (options.only != nullptr && options.only != &rule) return false;
  switch (FixOf(rule).fix) {
    case FixKind::kSafe:
      return true;
    case FixKind::kDerived:
      return options.is_unsafe || options.source != nullptr;
    case FixKind::kSource:
      return options.source != nullptr;
    default:
      return false;
  }
}

std::vector<std::string> NewFindings(const FileReport& before, const FileReport& after) {
  constexpr size_t kMost = 3;
  std::vector<std::string> lines;
  const auto counts = CountsOf(before);
  std::set<std::pair<const Rule*, absl::string_view>> known;
  for (const Finding& finding : before.findings) {
    known.emplace(finding.diagnostic.rule, finding.diagnostic.subject);
  }
  const auto count_of = [&](const Rule* rule) {
    const auto found = counts.find(rule);
    return found == counts.end() ? 0 : found->second;
  };
  for (const Finding& finding : after.findings) {
    const Diagnostic& found = finding.diagnostic;
    // Of the others of a rule, not all are known.
    if (known.count({found.rule, found.subject}) > 0 || count_of(found.rule) >= kKeptFindings) {
      continue;
    }
    lines.push_back(absl::StrCat(found.subject, " ", found.message, " [", found.rule->id, "]"));
  }
  for (const auto& [rule, count] : CountsOf(after)) {
    if (lines.empty() && count > count_of(rule)) lines.push_back(rule->id);
  }
  if (before.incomplete.empty() && !after.incomplete.empty()) lines.push_back(after.incomplete);
  if (lines.size() > kMost) lines.resize(kMost);
  return lines;
}

absl::StatusOr<std::vector<PlannedFile>> MakePlan(const std::vector<Source>& files,
                                                  const FixOptions& options) {
  return Planner(files, options).Run();
}

}  // namespace gguf
