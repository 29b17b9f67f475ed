// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/gate.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/gate/config_file.h"
#include "conformance/gate/file_list.h"
#include "conformance/gate/find_files.h"
#include "conformance/gate/work_shard.h"
#include "conformance/predict/readers.h"

namespace gguf {

absl::StatusOr<Gate> Gate::Open(const CheckRequest& request) {
  Gate gate(request);
  absl::Status status = gate.FindGroups();
  if (status.ok() && request.baseline.any()) status = gate.OpenBaseline();
  if (!status.ok()) return status;
  return gate;
}

absl::Status Gate::FindGroups() {
  std::vector<std::string> paths = request_.paths;
  for (const FileList& list : request_.lists) {
    const auto listed =
        ReadFileList(list, request_.validate.limits.stream_bytes);
    if (!listed.ok()) return listed.status();
    paths.insert(paths.end(), listed->begin(), listed->end());
  }
  std::vector<FileGroup> all = GroupShards(FindFiles(paths));
  for (const FileGroup& group : all) {
    for (const FoundFile& file : group.files) {
      inputs_.Add(file.path, "a file to be checked");
    }
  }
  run_.inputs = InputsOf(all);
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
  if (request_.config != nullptr) IgnoreRulesOf(*request_.config, report);
  if (baseline_) baseline_->Settle(request_.profile, report);
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
  if (!baseline_) return result;
  result.baseline = baseline_->Finish(totals.unfinished.empty());
  result.warnings = baseline_->Warnings();
  totals.baseline = baseline_->baseline().Outcome();
  return result;
}

FileReport CheckSource(const Source& source, const CheckRequest& request) {
  const std::string name(source.name);
  Work work;
  work.jobs = request.jobs;
  FileReport report = Validate(source, request.profile, request.validate, work,
                               DigestOf(name, request));
  report.path = name;
  if (request.validate.off_rules) report.readers = JudgeReaders(report);
  return report;
}

}  // namespace gguf
