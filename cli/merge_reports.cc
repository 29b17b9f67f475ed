// ggufcheck merge-reports: one report of the reports of several runs.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/report_output.h"
#include "cli/report_source.h"
#include "cli/terminal.h"
#include "conformance/report/report.h"
#include "parser/quote.h"

namespace gguf {
namespace {

struct MergeFlags {
  std::vector<std::string> paths;
  std::string format = "text";
  std::vector<std::string> reports;  // FORMAT=PATH
};

// Of "the shards 1, 2 and 700 more".
constexpr size_t kNamed = 10;

// Several reports on their way to be one: those of the shards of a run, in the
// order of its files, or those of whole runs, one after another.
class Merge {
 public:
  // Errors: those of ReportSource::Open; FailedPrecondition for reports that
  // cannot be one.
  absl::Status Open(const std::vector<std::string>& paths);

  // What the one report is of.
  Run run() const;

  // Hands over all files; returns how that ended.
  Totals Take(ReportOutputs* outputs);

 private:
  bool of_shards() const { return sources_.front()->run().shard.count > 1; }
  absl::Status Compare(const ReportSource& source) const;
  void SayMissing();
  void Advance(ReportSource* source);
  ReportSource* Next() const;

  std::vector<std::unique_ptr<ReportSource>> sources_;
  std::map<uint64_t, const ReportSource*> shards_;
  std::vector<std::string> problems_;  // Why the report is not of all files.
};

// Why two reports cannot be one.
absl::Status Merge::Compare(const ReportSource& source) const {
  const Run& a = sources_.front()->run();
  const Run& b = source.run();
  const char* what = nullptr;
  if (a.profile != b.profile || a.fail_on != b.fail_on ||
      a.select != b.select || a.ignore != b.ignore ||
      a.severities != b.severities ||
      a.baseline.empty() != b.baseline.empty()) {
    what =
        "was asked something else (profile, severities, --fail-on, --select, "
        "--ignore, --baseline)";
  } else if (a.shard.count != b.shard.count) {
    what = "has another number of shards";
  } else if (a.shard.count > 1 && (a.inputs.files != b.inputs.files ||
                                   a.inputs.digest != b.inputs.digest)) {
    what = "shares other files: some appeared or vanished between the runs";
  }
  if (what == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cannot merge: the run of ", Quote(source.path()), " ", what,
                   " than that of ", Quote(sources_.front()->path())));
}

absl::Status Merge::Open(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    auto source = ReportSource::Open(path);
    if (!source.ok()) return source.status();
    if (!sources_.empty()) {
      const absl::Status status = Compare(**source);
      if (!status.ok()) return status;
    }
    const WorkShard shard = (*source)->run().shard;
    if (shard.count > 1 &&
        !shards_.emplace(shard.index, source->get()).second) {
      problems_.push_back(absl::StrCat("shard ", shard.index,
                                       " is there twice: in ",
                                       Quote(shards_[shard.index]->path()),
                                       " and, left out, in ", Quote(path)));
      continue;
    }
    sources_.push_back(*std::move(source));
  }
  SayMissing();
  return absl::OkStatus();
}

void Merge::SayMissing() {
  if (!of_shards()) return;
  const uint64_t count = sources_.front()->run().shard.count;
  const uint64_t missing = count - shards_.size();
  if (missing == 0) return;
  std::vector<std::string> named;
  for (uint64_t i = 0; i < count && named.size() < kNamed; ++i) {
    if (shards_.count(i) == 0) named.push_back(absl::StrCat(i));
  }
  problems_.push_back(absl::StrCat("missing: ", Count(missing, "shard"), " of ",
                                   count, ": ", absl::StrJoin(named, ", "),
                                   missing > named.size() ? ", ..." : ""));
}

Run Merge::run() const {
  Run run = sources_.front()->run();
  run.shard = WorkShard();
  if (of_shards() || sources_.size() == 1) return run;
  run.inputs = {};
  for (const auto& source : sources_) {
    run.inputs.files += source->run().inputs.files;
  }
  return run;
}

// A report that cannot be read on ends there.
void Merge::Advance(ReportSource* source) {
  const absl::Status status = source->Advance();
  if (!status.ok()) {
    problems_.push_back(std::string(status.message()));
  } else if (!source->file() && !source->unfinished().empty()) {
    problems_.push_back(
        absl::StrCat(Quote(source->path()), ": ", source->unfinished()));
  }
}

// The report whose file comes next; null when there is none.
ReportSource* Merge::Next() const {
  ReportSource* next = nullptr;
  for (const auto& source : sources_) {
    if (!source->file()) continue;
    if (next == nullptr ||
        (of_shards() && source->file()->index < next->file()->index)) {
      next = source.get();
    }
  }
  return next;
}

Totals Merge::Take(ReportOutputs* outputs) {
  const Run run = this->run();
  Totals totals;
  uint64_t next_index = 0;
  for (const auto& source : sources_) Advance(source.get());
  while (ReportSource* source = Next()) {
    FileReport file = *std::move(source->file());
    if (!of_shards()) file.index = totals.files();
    // With no index twice and none too large, a sum that fits is of all files.
    if (of_shards() &&
        (file.index < next_index || file.index >= run.inputs.files)) {
      problems_.push_back(absl::StrCat(Quote(source->path()), ": file index ",
                                       file.index,
                                       " is too large or in another report"));
    }
    next_index = file.index + 1;
    totals.Add(file, run.fail_on);
    if (!outputs->Add(file)) break;  // Close() says why.
    Advance(source);
  }
  if (problems_.empty() && totals.files() < run.inputs.files) {
    problems_.push_back(absl::StrCat(run.inputs.files - totals.files(), " of ",
                                     Count(run.inputs.files, "file"),
                                     " without a report"));
  }
  totals.unfinished = absl::StrJoin(problems_, "; ");
  for (const auto& source : sources_) {
    if (!source->baseline()) continue;
    if (!totals.baseline) totals.baseline.emplace();
    totals.baseline->Add(*source->baseline());
  }
  return totals;
}

int RunMerge(const MergeFlags& flags) {
  const auto fail = [](const absl::Status& status, int code) {
    PrintError(status.message());
    return code;
  };
  const auto targets = ParseReportTargets(flags.reports);
  if (!targets.ok()) return fail(targets.status(), kUsage);
  Merge merge;
  const absl::Status opened = merge.Open(flags.paths);
  if (!opened.ok()) return fail(opened, kCouldNotRun);
  auto outputs = ReportOutputs::Open(flags.format, *targets, merge.run());
  if (!outputs.ok()) return fail(outputs.status(), kCouldNotRun);
  const Totals totals = merge.Take(&*outputs);
  return outputs->Close(totals);
}

}  // namespace

void AddMergeReportsCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* command = program->add_subcommand(
      "merge-reports", "Make one report of those of several checks.");
  command
      ->add_option("REPORT", flags->paths,
                   "Reports in NDJSON or JSON: of all shards of a run, or of "
                   "whole runs")
      ->required()
      ->type_name("");
  AddReportFlags(command, &flags->format, &flags->reports);
  command->footer(
      "Exit codes: as of ggufcheck check; 3 when a shard is missing, or there\n"
      "twice, or its report has no end.\n"
      "\nExamples:\n"
      "  ggufcheck merge-reports shard-*.ndjson\n"
      "  ggufcheck merge-reports --format json --report html=all.html "
      "shard-*.ndjson");
  command->callback([flags, exit_code] { *exit_code = RunMerge(*flags); });
}

}  // namespace gguf
