// Reads the shard from a flag or from the environment of schedulers.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/work_shard.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"
#include "xxhash.h"

namespace gguf {
namespace {

// The variables through which a scheduler tells a task its number.
struct Scheduler {
  const char* index;
  const char* least_index;  // Variable with the first task's index; null: 0.
  const char* count;
};

// Sources: Bazel, "Test Encyclopedia"; Slurm, "Job Array Support"; Kubernetes,
// "Indexed Job" (a Pod is told its index only; a manifest may set
// JOB_COMPLETIONS).
constexpr Scheduler kSchedulers[] = {
    {"TEST_SHARD_INDEX", nullptr, "TEST_TOTAL_SHARDS"},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
    {"JOB_COMPLETION_INDEX", nullptr, "JOB_COMPLETIONS"},
};

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Returns the value of a variable; nothing when it is not set.
absl::StatusOr<std::optional<uint64_t>> Number(const GetVariable& variable, const char* name) {
  const std::optional<std::string> text = variable(name);
  if (!text) return std::nullopt;
  uint64_t number;
  if (absl::SimpleAtoi(*text, &number)) return number;
  return Wrong(absl::StrCat(name, " is ", Quote(*text), ", not a number"));
}

absl::StatusOr<ChosenWorkShard> FromScheduler(const Scheduler& scheduler, uint64_t index,
                                              const GetVariable& variable) {
  if (scheduler.least_index != nullptr) {
    const auto least = Number(variable, scheduler.least_index);
    if (!least.ok()) return least.status();
    if (!*least || **least > index) {
      return Wrong(absl::StrCat(scheduler.index, " is ", index, ", but ", scheduler.least_index,
                                " is missing or larger"));
    }
    index -= **least;
  }
  const auto count = Number(variable, scheduler.count);
  if (!count.ok()) return count.status();
  if (!*count || index >= **count) {
    return Wrong(absl::StrCat(scheduler.index, " is ", index, ", but ", scheduler.count,
                              *count ? " is " : " is not set",
                              *count ? absl::StrCat(**count) : ""));
  }
  return ChosenWorkShard{{index, **count}, scheduler.index};
}

// Parses "2/4", the second of four shards.
absl::StatusOr<WorkShard> ParseWorkShard(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  uint64_t number, count;
  if (absl::SimpleAtoi(parts.first, &number) && absl::SimpleAtoi(parts.second, &count) &&
      number >= 1 && number <= count) {
    return WorkShard{number - 1, count};
  }
  return Wrong(absl::StrCat("invalid shard ", Quote(text), ": expected K/N, such as 1/4 or 4/4"));
}

}  // namespace

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<ChosenWorkShard> ChooseWorkShard(absl::string_view flag,
                                                const GetVariable& variable) {
  if (flag.empty()) return ChosenWorkShard{};
  if (flag != "auto") {
    const auto shard = ParseWorkShard(flag);
    if (!shard.ok()) return shard.status();
    return ChosenWorkShard{*shard, ""};
  }
  std::vector<std::string> variables;
  for (const Scheduler& scheduler : kSchedulers) {
    const auto index = Number(variable, scheduler.index);
    if (!index.ok()) return index.status();
    if (*index) return FromScheduler(scheduler, **index, variable);
    variables.push_back(scheduler.index);
  }
  return Wrong(absl::StrCat("--shard auto: none of ", absl::StrJoin(variables, ", "), " is set"));
}

void AcknowledgeShard(const GetVariable& variable) {
  const std::optional<std::string> path = variable("TEST_SHARD_STATUS_FILE");
  if (path) std::ofstream(*path, std::ios::app).flush();
}

Run::Inputs InputsOf(const std::vector<FileGroup>& groups) {
  Run::Inputs inputs;
  uint64_t digest = 0;
  for (const FileGroup& group : groups) {
    for (const FoundFile& file : group.files) {
      ++inputs.files;
      // Include the final NUL, which no path contains.
      digest = XXH64(file.path.c_str(), file.path.size() + 1, digest);
    }
  }
  inputs.digest = absl::StrFormat("%016x", digest);
  return inputs;
}

std::vector<FileGroup> ShareOf(std::vector<FileGroup> groups, const WorkShard& shard) {
  std::vector<FileGroup> share;
  for (uint64_t i = shard.index; i < groups.size(); i += shard.count) {
    share.push_back(std::move(groups[i]));
  }
  return share;
}

}  // namespace gguf
