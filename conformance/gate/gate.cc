// Checks groups of files in several threads, and settles their reports.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/gate.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "conformance/digest/digest.h"
#include "conformance/gate/config_file.h"
#include "conformance/gate/do_in_order.h"
#include "conformance/gate/work_shard.h"
#include "conformance/input/open.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/shard_name.h"
#include "conformance/predict/readers.h"
#include "parser/core/deadline.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// The number of checked groups that may wait for a slower one before them.
constexpr uint64_t kWaitingForEachThread = 16;

// Returns the manifest's entry for a path; null without a manifest or an entry.
const FileDigest* DigestOf(const std::string& path,
                           const CheckRequest& request) {
  return request.digests ? request.digests->Find(path) : nullptr;
}

// Returns what the whole file at a path should have; nothing if unknown.
std::optional<ExpectedSha256> Sha256Of(const std::string& path,
                                       const CheckRequest& request) {
  return request.sha256 ? request.sha256->Find(path) : std::nullopt;
}

// Returns the profile for a file; of a set of shards, that for its first file.
const Profile& ProfileOf(const std::string& path, const CheckRequest& request) {
  const auto& all = request.file_profiles;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return IsFor(*request.config, path, one.first);
  });
  return found == all.end() ? request.profile : found->second;
}

// Returns the profile with which a file was checked.
const Profile& ProfileOf(const FileReport& report,
                         const CheckRequest& request) {
  const auto& all = request.file_profiles;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return one.second.name() == report.profile;
  });
  return found == all.end() ? request.profile : found->second;
}

absl::StatusOr<Input> Open(const FoundFile& found, const CheckRequest& request,
                           const Work& work) {
  if (!work.interrupted()) {
    if (!found.status.ok()) return found.status;
    const OpenOptions options = {request.validate.limits, request.header,
                                 work.interrupted};
    auto input = request.unmapped ? Input::OpenUnmapped(found.path, options)
                                  : Input::Open(found.path, options);
    if (input.ok() || !work.interrupted()) return input;
  }
  return absl::CancelledError("interrupted");
}

// Sets the fields that are known after reading the file.
void Finish(const Input& input, FileReport* report) {
  if (!input.complete()) report->size = std::nullopt;
  const std::string why = input.WhyChanged();
  if (!why.empty()) report->incomplete = why;
}

FileReport CheckFile(const FoundFile& found, const Profile& profile,
                     const CheckRequest& request, const Work& work) {
  const ValidateOptions& options = request.validate;
  const bool compares =
      options.origin != nullptr && options.origin->model() != nullptr;
  if (compares && IsReadByHeader(found.path, request.header)) {
    return Unchecked(
        "only its beginning is read, but its weights are compared: compare a "
        "copy on disk",
        request.profile);
  }
  if (IsReadByHeader(found.path, request.header) &&
      (options.weights || options.stats || options.digests || options.sha256)) {
    return Unchecked(
        "only its beginning is read, but --weights, --stats, --digest and "
        "--sha256 need the whole file: check a copy on disk",
        profile);
  }
  const auto input = Open(found, request, work);
  if (!input.ok()) return Unchecked(input.status().message(), profile);
  FileReport report =
      Validate(input->source(), profile, options, work,
               DigestOf(found.path, request), Sha256Of(found.path, request));
  Finish(*input, &report);
  return report;
}

std::vector<FileReport> CheckSet(const std::vector<FoundFile>& files,
                                 const Profile& profile,
                                 const CheckRequest& request,
                                 const Work& work) {
  std::vector<absl::StatusOr<Input>> inputs;
  std::vector<std::string> names;
  for (const FoundFile& file : files) {
    inputs.push_back(Open(file, request, work));
    names.push_back(BaseName(file.path));
  }
  std::vector<ShardFile> shards;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto& input = inputs[i];
    shards.push_back({input.ok() ? input->source() : Source({}, names[i]),
                      std::string(input.status().message()),
                      DigestOf(files[i].path, request),
                      Sha256Of(files[i].path, request)});
  }
  std::vector<FileReport> reports =
      ValidateSet(shards, profile, request.validate, work);
  for (size_t i = 0; i < files.size(); ++i) {
    if (inputs[i].ok()) Finish(*inputs[i], &reports[i]);
  }
  return reports;
}

std::vector<FileReport> CheckGroup(const FileGroup& group,
                                   const CheckRequest& request,
                                   const Work& work) {
  std::vector<FileReport> reports;
  const Profile& profile = ProfileOf(group.files[0].path, request);
  const absl::Time begin = absl::Now();
  try {
    if (group.is_set) {
      reports = CheckSet(group.files, profile, request, work);
    } else {
      reports.push_back(CheckFile(group.files[0], profile, request, work));
    }
  } catch (const std::exception& error) {  // Mostly out of memory.
    reports.assign(
        group.files.size(),
        Unchecked(absl::StrCat("internal error: ", error.what()), profile));
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  for (size_t i = 0; i < reports.size(); ++i) {
    const std::string& path = group.files[i].path;
    reports[i].path = ShownPath(path);
    if (&profile != &request.profile) reports[i].profile = profile.name();
    reports[i].seconds = seconds / reports.size();
    reports[i].index = group.first_index + i;
    if (request.validate.off_rules) {
      reports[i].readers = JudgeReaders(reports[i], request.llama_cpp);
    }
  }
  return reports;
}

// Returns what the run reads of each group.  The size of what is no file on
// disk is not known.
std::vector<RunProgress::Group> AmountsOf(const std::vector<FileGroup>& groups,
                                          const CheckRequest& request) {
  const ValidateOptions& options = request.validate;
  const bool weights = options.weights || options.stats;
  // The SHA-256 of a file is computed while its weights are read.
  const uint64_t passes =
      uint64_t{weights || (options.sha256 && !options.digests)} +
      uint64_t{options.digests} + uint64_t{request.origin != nullptr};
  std::vector<RunProgress::Group> all;
  for (const FileGroup& group : groups) {
    all.push_back({group.files.size(), 0});
    for (const FoundFile& file : group.files) {
      std::error_code error;
      const auto size =
          passes > 0 ? std::filesystem::file_size(file.path, error) : 0;
      if (!error) all.back().bytes += passes * size;
    }
  }
  return all;
}

// Passes a report for each file of the groups to `take`, in order and one at a
// time, and keeps none.  Files that cannot be opened have reports, too.  Ends
// early when `take` returns false or `stop` returns true.
void CheckFiles(const std::vector<FileGroup>& groups,
                const CheckRequest& request, const GateCallbacks& callbacks) {
  const auto stop = [&] { return callbacks.stop && callbacks.stop(); };
  // Threads without a file of their own help with the data of other files.
  const unsigned jobs =
      std::max<unsigned>(1, request.jobs / std::max<size_t>(1, groups.size()));
  std::optional<RunProgress> progress;
  if (callbacks.progress) {
    progress.emplace(AmountsOf(groups, request), callbacks.progress);
  }
  OrderedWork<std::vector<FileReport>> job;
  job.count = groups.size();
  job.threads = request.jobs;
  job.window = kWaitingForEachThread * request.jobs;
  job.stop = stop;
  job.work = [&](uint64_t i) {
    Work work = {jobs, nullptr, stop};
    if (progress) {
      work.progress = [&](uint64_t done, uint64_t total) {
        progress->Read(i, done, total);
      };
    }
    auto reports = CheckGroup(groups[i], request, work);
    if (progress) progress->Finish(i);
    return reports;
  };
  job.take = [&](std::vector<FileReport> reports) {
    return std::all_of(reports.begin(), reports.end(), [&](FileReport& report) {
      return callbacks.take(std::move(report));
    });
  };
  DoInOrder(job);
}

}  // namespace

absl::StatusOr<Gate> Gate::Open(const CheckRequest& request,
                                const std::function<bool()>& stop) {
  Gate gate(request);
  absl::Status status = gate.FindGroups(stop);
  if (status.ok() && request.baseline.any()) status = gate.OpenBaseline();
  if (!status.ok()) return status;
  return gate;
}

absl::Status Gate::FindGroups(const std::function<bool()>& stop) {
  const Deadline deadline(request_.validate.limits.seconds, stop);
  std::vector<std::string> paths = request_.paths;
  for (const FileList& list : request_.lists) {
    const auto listed =
        ReadFileList(list, request_.validate.limits.stream_bytes, deadline);
    if (!listed.ok()) return listed.status();
    paths.insert(paths.end(), listed->begin(), listed->end());
  }
  FoundFiles found =
      FindFiles(paths, request_.choice,
                {request_.validate.limits, request_.header, stop});
  std::vector<FileGroup> all = GroupShards(found.files);
  for (const FileGroup& group : all) {
    for (const FoundFile& file : group.files) {
      inputs_.Add(file.path, "a file to be checked");
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
  const std::string& write = request_.baseline.write;
  if (!write.empty()) {
    const absl::Status refused = inputs_.Refuse(write);
    if (!refused.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot write ", write, ": ", refused.message()));
    }
  }
  auto baseline = BaselineFile::Open(request_.baseline);
  if (!baseline.ok()) {
    return absl::InvalidArgumentError(baseline.status().message());
  }
  inputs_.Add(request_.baseline.path(), "the baseline");
  baseline_ = *std::move(baseline);
  return absl::OkStatus();
}

void Gate::Settle(FileReport* report) {
  if (request_.base != nullptr && request_.base->changed()) {
    report->incomplete = "the base changed during the check";
  }
  if (request_.origin != nullptr && request_.origin->changed()) {
    report->incomplete = "the base changed during the comparison";
  }
  if (request_.config != nullptr) IgnoreRulesOf(*request_.config, report);
  if (baseline_) baseline_->Settle(ProfileOf(*report, request_), report);
}

GateResult Gate::Check(const GateCallbacks& callbacks) {
  GateResult result;
  Totals& totals = result.totals;
  bool refused = false;
  const auto take = [&](FileReport report) {
    Settle(&report);
    totals.Add(report, run_.fail_on);
    refused = !callbacks.take(std::move(report));
    return !refused;
  };
  CheckFiles(groups_, request_, {take, callbacks.progress, callbacks.stop});
  const uint64_t files = InputsOf(groups_).files;
  if (totals.files() < files) {
    totals.unfinished = absl::StrCat(
        refused ? "no report could be written" : "interrupted", ": ",
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

FileReport CheckSource(const Source& source, const std::string& path,
                       const CheckRequest& request) {
  Work work;
  work.jobs = request.jobs;
  const FileDigest* digest = DigestOf(path, request);
  const auto sha256 = Sha256Of(path, request);
  const Profile& profile = ProfileOf(path, request);
  FileReport report =
      ParseShardName(source.name)
          ? ValidateSet({{source, "", digest, sha256}}, profile,
                        request.validate, work)
                .front()
          : Validate(source, profile, request.validate, work, digest, sha256);
  report.path = path;
  if (&profile != &request.profile) report.profile = profile.name();
  if (request.validate.off_rules) {
    report.readers = JudgeReaders(report, request.llama_cpp);
  }
  if (request.config != nullptr) IgnoreRulesOf(*request.config, &report);
  if (report.incomplete.empty()) {
    UseOfBase with_base;
    with_base.Add(report);
    report.incomplete = with_base.WhyNone();
  }
  return report;
}

}  // namespace gguf
