// Checks groups of files in several threads.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/check_files.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/gate/do_in_order.h"
#include "conformance/gate/find_files.h"
#include "conformance/input/open.h"
#include "conformance/predict/readers.h"
#include "parser/core/source.h"

namespace gguf {
namespace {

// The number of checked groups that may wait for a slower one before them.
constexpr uint64_t kWaitingForEachThread = 16;

absl::StatusOr<Input> Open(const FoundFile& found, const CheckRequest& request,
                           const Work& work) {
  if (!work.interrupted()) {
    if (!found.status.ok()) return found.status;
    auto input = Input::Open(found.path, {request.validate.limits,
                                          request.header, work.interrupted});
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

FileReport CheckFile(const FoundFile& found, const CheckRequest& request,
                     const Work& work) {
  const ValidateOptions& options = request.validate;
  if (IsReadByHeader(found.path, request.header) &&
      (options.weights || options.stats || options.digests)) {
    return Unchecked(
        "only its beginning is read, but --weights, --stats and --digest need "
        "the whole file: check a copy on disk",
        request.profile);
  }
  const auto input = Open(found, request, work);
  if (!input.ok()) return Unchecked(input.status().message(), request.profile);
  FileReport report = Validate(input->source(), request.profile, options, work,
                               DigestOf(found.path, request));
  Finish(*input, &report);
  return report;
}

std::vector<FileReport> CheckSet(const std::vector<FoundFile>& files,
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
                      DigestOf(files[i].path, request)});
  }
  std::vector<FileReport> reports =
      ValidateSet(shards, request.profile, request.validate, work);
  for (size_t i = 0; i < files.size(); ++i) {
    if (inputs[i].ok()) Finish(*inputs[i], &reports[i]);
  }
  return reports;
}

std::vector<FileReport> CheckGroup(const FileGroup& group,
                                   const CheckRequest& request,
                                   const Work& work) {
  std::vector<FileReport> reports;
  try {
    if (group.is_set) {
      reports = CheckSet(group.files, request, work);
    } else {
      reports.push_back(CheckFile(group.files[0], request, work));
    }
  } catch (const std::exception& error) {  // Mostly out of memory.
    reports.assign(group.files.size(),
                   Unchecked(absl::StrCat("internal error: ", error.what()),
                             request.profile));
  }
  for (size_t i = 0; i < reports.size(); ++i) {
    const std::string& path = group.files[i].path;
    reports[i].path = ShownPath(path);
    reports[i].index = group.first_index + i;
    if (request.validate.off_rules) {
      reports[i].readers = JudgeReaders(reports[i]);
    }
  }
  return reports;
}

}  // namespace

const FileDigest* DigestOf(const std::string& path,
                           const CheckRequest& request) {
  return request.digests ? request.digests->Find(path) : nullptr;
}

void CheckFiles(const std::vector<FileGroup>& groups,
                const CheckRequest& request, const GateCallbacks& callbacks) {
  const auto stop = [&] { return callbacks.stop && callbacks.stop(); };
  // Threads without a file of their own help with the data of other files.
  const Work work = {
      std::max<unsigned>(1, request.jobs / std::max<size_t>(1, groups.size())),
      callbacks.progress, stop};
  OrderedWork<std::vector<FileReport>> job;
  job.count = groups.size();
  job.threads = request.jobs;
  job.window = kWaitingForEachThread * request.jobs;
  job.stop = stop;
  job.work = [&](uint64_t i) { return CheckGroup(groups[i], request, work); };
  job.take = [&](std::vector<FileReport> reports) {
    return std::all_of(reports.begin(), reports.end(), [&](FileReport& report) {
      return callbacks.take(std::move(report));
    });
  };
  DoInOrder(job);
}

}  // namespace gguf
