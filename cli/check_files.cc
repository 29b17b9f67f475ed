// Files, groups and threads.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_files.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/input.h"
#include "cli/progress.h"
#include "parser/bytes.h"

namespace gguf {
namespace {

std::atomic<bool> interrupted{false};

// The first interruption ends the run with a report, the next one at once.
void OnInterrupt(int) { interrupted = true; }

absl::StatusOr<Input> Open(const FoundFile& found, const Limits& limits) {
  if (!interrupted && !found.status.ok()) return found.status;
  if (!interrupted) {
    auto input = Input::Open(found.path, limits.stream_bytes);
    if (input.ok() || !interrupted) return input;
  }
  return absl::CancelledError("interrupted");
}

// Says what is known once the bytes are no longer looked at.
void Finish(const Input& input, FileReport* report) {
  if (!input.complete()) report->size = std::nullopt;
  if (input.damaged()) {
    report->incomplete =
        "the file shrank, or could not be read, while it was being checked";
  }
}

FileReport CheckFile(const FoundFile& found, const Profile& profile,
                     const ValidateOptions& options) {
  const auto input = Open(found, options.limits);
  if (!input.ok()) return Unchecked(input.status().message(), profile);
  FileReport report =
      Validate(input->bytes(), BaseName(found.path), profile, options);
  Finish(*input, &report);
  return report;
}

std::vector<FileReport> CheckSet(const std::vector<FoundFile>& files,
                                 const Profile& profile,
                                 const ValidateOptions& options) {
  std::vector<absl::StatusOr<Input>> inputs;
  std::vector<std::string> names;
  for (const FoundFile& file : files) {
    inputs.push_back(Open(file, options.limits));
    names.push_back(BaseName(file.path));
  }
  std::vector<ShardFile> shards;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto& input = inputs[i];
    shards.push_back({names[i], input.ok() ? input->bytes() : Bytes(),
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
                                   const ValidateOptions& options) {
  std::vector<FileReport> reports;
  try {
    if (group.is_set) {
      reports = CheckSet(group.files, profile, options);
    } else {
      reports.push_back(CheckFile(group.files[0], profile, options));
    }
  } catch (const std::exception& error) {  // Out of memory, above all.
    reports.assign(
        group.files.size(),
        Unchecked(absl::StrCat("internal error: ", error.what()), profile));
  }
  for (size_t i = 0; i < reports.size(); ++i) {
    reports[i].path = group.files[i].path;
  }
  return reports;
}

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND;  // And no SA_RESTART: a blocked read ends.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::vector<FileReport> CheckFiles(const std::vector<FileGroup>& groups,
                                   const Profile& profile,
                                   ValidateOptions options) {
  ProgressLine progress;
  const unsigned threads_in_all = options.jobs;
  options.jobs =
      std::max<size_t>(1, threads_in_all / std::max<size_t>(1, groups.size()));
  options.interrupted = [] { return interrupted.load(); };
  options.progress = [&](uint64_t done, uint64_t total) {
    progress.Show(done, total);
  };

  std::vector<std::vector<FileReport>> of_groups(groups.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < groups.size(); i = next++) {
      of_groups[i] = CheckGroup(groups[i], profile, options);
    }
  };
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < threads_in_all && i < groups.size(); ++i) {
      threads.emplace_back(work);
    }
  } catch (const std::system_error&) {
    // No more threads to be had: those there are do the work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  std::vector<FileReport> reports;
  for (std::vector<FileReport>& of_group : of_groups) {
    std::move(of_group.begin(), of_group.end(), std::back_inserter(reports));
  }
  return reports;
}

}  // namespace gguf
