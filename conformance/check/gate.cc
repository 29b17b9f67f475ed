// Checks groups of files in several threads, and settles their reports.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/gate.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "conformance/base/limits.h"
#include "conformance/base/text.h"
#include "conformance/check/do_in_order.h"
#include "conformance/check/option_table.h"
#include "conformance/check/work_shard.h"
#include "conformance/fix/plan.h"
#include "conformance/input/open.h"
#include "conformance/model/file_name.h"
#include "conformance/rules/readers.h"

namespace gguf {
namespace {

// The number of checked groups that may wait for a slower one before them.
constexpr uint64_t kWaitingForEachThread = 16;

// Returns why the data that a check reads cannot be read; empty if it can.
std::string WhyNoData(const std::string& path, const CheckOptions& options,
                      const CheckInputs& inputs) {
  if (!ReadsData(options) || !IsReadByHeader(path, inputs.header())) return "";
  return absl::StrCat("only its beginning is read, but ",
                      options.origin.empty()
                          ? absl::StrCat(DataOptions(options), " need the whole file: check")
                          : "its weights are compared: compare",
                      " a copy on disk");
}

absl::StatusOr<Input> Open(const FoundFile& found, const CheckOptions& options,
                           const CheckInputs& inputs, const Work& work) {
  const std::string why_not = WhyNoData(found.path, options, inputs);
  if (!why_not.empty()) return absl::FailedPreconditionError(why_not);
  if (!work.interrupted()) {
    if (!found.status.ok()) return found.status;
    const OpenOptions how = {options.limits, inputs.header(), work.interrupted};
    auto input =
        options.is_program ? Input::Open(found.path, how) : Input::OpenUnmapped(found.path, how);
    if (input.ok() || !work.interrupted()) return input;
  }
  return absl::CancelledError("interrupted");
}

// Checks the shards of a model, or a single file.
std::vector<FileReport> Check(const std::vector<ShardFile>& files, bool is_set,
                              const Profile& profile, const CheckOptions& options,
                              const Work& work) {
  if (is_set) return ValidateSet(files, profile, options, work);
  const ShardFile& file = files[0];
  std::vector<FileReport> reports;
  reports.push_back(file.why_unread.empty()
                        ? Validate(file.source, profile, options, file.expected, work)
                        : Unchecked(file.why_unread, profile));
  return reports;
}

std::vector<FileReport> OpenAndCheck(const FileGroup& group, const Profile& profile,
                                     const CheckOptions& options, const CheckInputs& inputs,
                                     const Work& work) {
  std::vector<absl::StatusOr<Input>> opened;
  std::vector<std::string> names;
  for (const FoundFile& file : group.files) {
    opened.push_back(Open(file, options, inputs, work));
    names.push_back(BaseName(file.path));
  }
  std::vector<ShardFile> files;
  for (size_t i = 0; i < opened.size(); ++i) {
    const auto& input = opened[i];
    files.push_back({input.ok() ? input->source() : Source({}, names[i]),
                     std::string(input.status().message()),
                     inputs.ExpectedOf(group.files[i].path)});
  }
  std::vector<FileReport> reports = Check(files, group.is_set, profile, options, work);
  // What is known after reading a file.
  for (size_t i = 0; i < opened.size(); ++i) {
    if (!opened[i].ok()) continue;
    if (!opened[i]->complete()) reports[i].size = std::nullopt;
    const std::string why = opened[i]->WhyChanged();
    if (!why.empty()) reports[i].incomplete = why;
  }
  const auto is_sarif = [](const std::string& report) {
    return absl::StartsWith(report, "sarif=");
  };
  const bool is_wanted = options.format == "sarif" || absl::c_any_of(options.report, is_sarif);
  if (is_wanted && opened.size() == 1 && opened[0].ok() && opened[0]->complete()) {
    FixOptions fix;
    fix.check.limits = options.limits;
    fix.profile = profile;
    // A report is worth more than its fixes.
    const absl::Time end = absl::Now() + absl::Seconds(5);
    fix.interrupted = [&] { return work.interrupted() || absl::Now() > end; };
    AddReplacements(files[0].source, fix, &reports[0]);
  }
  return reports;
}

// Adds what does not follow from the file alone.
void Describe(const std::string& path, const Profile& profile, const CheckOptions& options,
              const CheckInputs& inputs, FileReport* report) {
  report->path = path;
  if (&profile != &inputs.profile()) report->profile = profile.name();
  if (options.readers) {
    report->readers = JudgeReaders(*report, options.llama_cpp);
  }
  inputs.IgnoreRulesOf(report);
}

std::vector<FileReport> CheckGroup(const FileGroup& group, const CheckOptions& options,
                                   const CheckInputs& inputs, const Work& work) {
  std::vector<FileReport> reports;
  const Profile& profile = inputs.ProfileOf(group.files[0].path);
  const absl::Time begin = absl::Now();
  try {
    reports = OpenAndCheck(group, profile, options, inputs, work);
  } catch (const std::exception& error) {  // Mostly out of memory.
    reports.assign(group.files.size(),
                   Unchecked(absl::StrCat("internal error: ", error.what()), profile));
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  for (size_t i = 0; i < reports.size(); ++i) {
    Describe(ShownPath(group.files[i].path), profile, options, inputs, &reports[i]);
    reports[i].seconds = seconds / reports.size();
    reports[i].index = group.first_index + i;
  }
  const bool is_set = absl::c_any_of(reports, [](const auto& report) { return !!report.shard; });
  if (is_set) JudgeSet(&reports);
  return reports;
}

// Returns what the run reads of each group.  The size of what is no file on
// disk is not known.
std::vector<RunProgress::Group> AmountsOf(const std::vector<FileGroup>& groups,
                                          const CheckOptions& options) {
  const uint64_t passes = PassesOverData(options);
  std::vector<RunProgress::Group> all;
  for (const FileGroup& group : groups) {
    all.push_back({group.files.size(), 0});
    for (const FoundFile& file : group.files) {
      std::error_code error;
      const auto size = passes > 0 ? std::filesystem::file_size(file.path, error) : 0;
      if (!error) all.back().bytes += passes * size;
    }
  }
  return all;
}

// Passes a report for each file of the groups to `settle` and then to `take`,
// in order and one at a time, and keeps none.  Files that cannot be opened have
// reports, too.  Ends early when `take` returns false or `stop` returns true.
void CheckFiles(const std::vector<FileGroup>& groups, const CheckOptions& options,
                const CheckInputs& inputs, const std::function<void(FileReport*)>& settle,
                Severity fail_on, const GateCallbacks& callbacks) {
  const auto stop = [&] { return callbacks.stop && callbacks.stop(); };
  // Threads without a file of their own help with the data of other files.
  const unsigned jobs = std::max<unsigned>(1, options.jobs / std::max<size_t>(1, groups.size()));
  std::optional<RunProgress> progress;
  if (callbacks.progress) {
    progress.emplace(AmountsOf(groups, options), callbacks.progress);
  }
  OrderedWork<std::vector<FileReport>> job;
  job.count = groups.size();
  job.threads = options.jobs;
  job.window = kWaitingForEachThread * options.jobs;
  job.stop = stop;
  job.work = [&](uint64_t i) {
    Work work = {jobs, nullptr, stop};
    if (progress) {
      work.progress = [&](uint64_t done, uint64_t total) { progress->Read(i, done, total); };
    }
    auto reports = CheckGroup(groups[i], options, inputs, work);
    if (progress) progress->Finish(i);
    return reports;
  };
  job.take = [&](std::vector<FileReport> reports) {
    for (FileReport& report : reports) settle(&report);
    SettleSet(fail_on, &reports);
    return std::all_of(reports.begin(), reports.end(),
                       [&](FileReport& report) { return callbacks.take(std::move(report)); });
  };
  DoInOrder(job);
}

}  // namespace

absl::StatusOr<Gate> Gate::Open(const CheckOptions& options, const CheckInputs& inputs,
                                const std::function<bool()>& stop) {
  Gate gate(options, inputs);
  absl::Status status = gate.FindGroups(stop);
  if (status.ok() && !options.any_baseline().empty()) {
    status = gate.OpenBaseline();
  }
  if (!status.ok()) return status;
  return gate;
}

absl::Status Gate::FindGroups(const std::function<bool()>& stop) {
  const Limits& limits = options_.limits;
  const Deadline deadline(limits.seconds, stop);
  std::vector<std::string> paths = options_.paths;
  for (const FileList& list :
       {FileList{options_.files_from, '\n'}, FileList{options_.files_from0, '\0'}}) {
    if (list.path.empty()) continue;
    const auto listed = ReadFileList(list, limits.stream_bytes, deadline);
    if (!listed.ok()) return listed.status();
    paths.insert(paths.end(), listed->begin(), listed->end());
  }
  FoundFiles found =
      FindFiles(paths, {options_.all_files, options_.include}, {limits, inputs_.header(), stop});
  std::vector<FileGroup> all = GroupShards(found.files);
  for (const FileGroup& group : all) {
    for (const FoundFile& file : group.files) {
      files_.Add(file.path, "a file to be checked");
    }
  }
  run_.inputs = InputsOf(all);
  run_.inputs.skipped = found.skipped;
  for (const std::string& path : found.skipped_paths) {
    run_.inputs.skipped_paths.push_back(Visible(path));
  }
  groups_ = ShareOf(std::move(all), run_.shard);
  return absl::OkStatus();
}

absl::Status Gate::OpenBaseline() {
  const std::string& write = options_.write_baseline;
  if (!write.empty()) {
    const absl::Status refused = files_.Refuse(write);
    if (!refused.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot write ", write, ": ", refused.message()));
    }
  }
  auto baseline = BaselineFile::Open(options_);
  if (!baseline.ok()) {
    return absl::InvalidArgumentError(baseline.status().message());
  }
  files_.Add(options_.any_baseline(), "the baseline");
  baseline_ = *std::move(baseline);
  return absl::OkStatus();
}

GateResult Gate::Check(const GateCallbacks& callbacks) {
  GateResult result;
  Totals& totals = result.totals;
  bool refused = false;
  const auto settle = [&](FileReport* report) {
    const std::string changed = inputs_.WhyChanged();
    if (!changed.empty()) report->incomplete = changed;
    if (baseline_) baseline_->Settle(inputs_.ProfileOf(*report), report);
  };
  const auto take = [&](FileReport report) {
    totals.Add(report, run_.fail_on);
    refused = !callbacks.take(std::move(report));
    return !refused;
  };
  CheckFiles(groups_, options_, inputs_, settle, run_.fail_on,
             {take, callbacks.progress, callbacks.stop});
  const uint64_t files = InputsOf(groups_).files;
  if (totals.files() < files) {
    totals.unfinished =
        absl::StrCat(refused ? "no report could be written" : "interrupted", ": ",
                     files - totals.files(), " of ", Count(files, "file"), " not checked");
  }
  // The other parts of the files may be compared.
  if (totals.unfinished.empty() && run_.shard.count == 1) {
    totals.unfinished = totals.with_base.WhyNone();
  }
  if (!baseline_) return result;
  result.baseline = baseline_->Finish(totals.unfinished.empty());
  result.warnings = baseline_->Warnings();
  totals.baseline = baseline_->baseline().Outcome();
  return result;
}

FileReport CheckSource(const Source& source, const std::string& path, const CheckOptions& options,
                       const CheckInputs& inputs) {
  Work work;
  work.jobs = options.jobs;
  const Profile& profile = inputs.ProfileOf(path);
  std::vector<FileReport> reports =
      Check({{source, "", inputs.ExpectedOf(path)}}, ParseShardName(source.name).has_value(),
            profile, options, work);
  FileReport& report = reports.front();
  Describe(path, profile, options, inputs, &report);
  if (report.incomplete.empty()) {
    BaseUse with_base;
    with_base.Add(report);
    report.incomplete = with_base.WhyNone();
  }
  SettleSet(inputs.run().fail_on, &reports);
  return std::move(report);
}

}  // namespace gguf
