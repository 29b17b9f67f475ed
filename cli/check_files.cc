// Files, groups and threads.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_files.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/do_in_order.h"
#include "cli/interrupts.h"
#include "cli/progress.h"
#include "conformance/input/open.h"
#include "conformance/rules/readers.h"
#include "parser/source.h"

namespace gguf {
namespace {

// Groups that may wait, checked, for one before them that takes longer.
constexpr uint64_t kWaitingForEachThread = 16;

absl::StatusOr<Input> Open(const FoundFile& found,
                           const ValidateOptions& options,
                           const FileFlags& flags) {
  if (!Interrupted() && !found.status.ok()) return found.status;
  if (!Interrupted()) {
    auto input = Input::Open(
        found.path, {options.limits, flags.header, options.interrupted});
    if (input.ok() || !Interrupted()) return input;
  }
  return absl::CancelledError("interrupted");
}

// Sets what is known once the bytes are no longer looked at.
void Finish(const Input& input, FileReport* report) {
  if (!input.complete()) report->size = std::nullopt;
  const std::string why = input.WhyChanged();
  if (!why.empty()) report->incomplete = why;
}

// Sets what depends on where the file lies.
ValidateOptions OptionsFor(const std::string& path, ValidateOptions options,
                           const FileFlags& flags) {
  options.header_only = flags.header.only || IsReadByHeader(path, flags.header);
  if (flags.digests != nullptr) {
    const std::string folder =
        path.substr(0, path.size() - BaseName(path).size());
    options.digest_of = [&flags, folder](absl::string_view name) {
      return flags.digests->Find(absl::StrCat(folder, name));
    };
  }
  return options;
}

FileReport CheckFile(const FoundFile& found, const Profile& profile,
                     const ValidateOptions& options, const FileFlags& flags) {
  const bool all = options.weights || options.stats || options.digest_of;
  if (options.header_only && all) {
    return Unchecked(
        "only its beginning is read; --weights, --stats and --digest need all "
        "of it: check a copy on the disk",
        profile);
  }
  const auto input = Open(found, options, flags);
  if (!input.ok()) return Unchecked(input.status().message(), profile);
  FileReport report = Validate(input->source(), profile, options);
  Finish(*input, &report);
  return report;
}

std::vector<FileReport> CheckSet(const std::vector<FoundFile>& files,
                                 const Profile& profile,
                                 const ValidateOptions& options,
                                 const FileFlags& flags) {
  std::vector<absl::StatusOr<Input>> inputs;
  std::vector<std::string> names;
  for (const FoundFile& file : files) {
    inputs.push_back(Open(file, options, flags));
    names.push_back(BaseName(file.path));
  }
  std::vector<ShardFile> shards;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto& input = inputs[i];
    shards.push_back({input.ok() ? input->source() : Source({}, names[i]),
                      std::string(input.status().message())});
  }
  std::vector<FileReport> reports = ValidateSet(shards, profile, options);
  for (size_t i = 0; i < files.size(); ++i) {
    if (inputs[i].ok()) Finish(*inputs[i], &reports[i]);
  }
  return reports;
}

std::vector<FileReport> CheckGroup(const FileGroup& group,
                                   const Profile& profile,
                                   const ValidateOptions& of_all,
                                   const FileFlags& flags) {
  const ValidateOptions options =
      OptionsFor(group.files[0].path, of_all, flags);
  std::vector<FileReport> reports;
  try {
    if (group.is_set) {
      reports = CheckSet(group.files, profile, options, flags);
    } else {
      reports.push_back(CheckFile(group.files[0], profile, options, flags));
    }
  } catch (const std::exception& error) {  // Out of memory, above all.
    reports.assign(
        group.files.size(),
        Unchecked(absl::StrCat("internal error: ", error.what()), profile));
  }
  for (size_t i = 0; i < reports.size(); ++i) {
    const std::string& path = group.files[i].path;
    reports[i].path = ShownPath(path);
    reports[i].index = group.first_index + i;
    if (options.off_rules) reports[i].readers = JudgeReaders(reports[i]);
  }
  return reports;
}

}  // namespace

uint64_t CheckFiles(const std::vector<FileGroup>& groups,
                    const Profile& profile, ValidateOptions options,
                    const FileFlags& flags,
                    const std::function<bool(FileReport report)>& take) {
  ProgressLine progress;
  const unsigned threads = options.jobs;
  options.jobs =
      std::max<size_t>(1, threads / std::max<size_t>(1, groups.size()));
  options.interrupted = Interrupted;
  options.progress = [&](uint64_t done, uint64_t total) {
    progress.Show(done, total);
  };

  uint64_t taken = 0;
  OrderedWork<std::vector<FileReport>> job;
  job.count = groups.size();
  job.threads = threads;
  job.window = kWaitingForEachThread * threads;
  job.stop = Interrupted;
  job.work = [&](uint64_t i) {
    return CheckGroup(groups[i], profile, options, flags);
  };
  job.take = [&](std::vector<FileReport> reports) {
    progress.Clear();
    for (FileReport& report : reports) {
      ++taken;
      if (!take(std::move(report))) return false;
    }
    return true;
  };
  DoInOrder(job);
  return taken;
}

}  // namespace gguf
