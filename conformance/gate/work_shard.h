// Which share of the models a run looks at, when several runs divide them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_WORK_SHARD_H_
#define GGUF_CONFORMANCE_GATE_WORK_SHARD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/gate/shard_files.h"
#include "conformance/report/report.h"

namespace gguf {

// --shard-index and --shard-count.
struct WorkShardFlags {
  std::optional<uint64_t> index;
  std::optional<uint64_t> count;
};

// A variable of the environment; nothing when it is not set.
using GetVariable =
    std::function<std::optional<std::string>(const std::string& name)>;

struct ChosenWorkShard {
  WorkShard shard;
  std::string from;  // The variable it is by; empty for flags, or for neither.
};

// By the flags; else by the environment of Bazel's test sharding, of a Slurm
// array job, or of a Kubernetes indexed Job, whose number of Pods the flag (or
// the variable JOB_COMPLETIONS) has to say; else all of the work.
//
// InvalidArgument for an index that is not below its count, for one without the
// other, for what is no number, and for a flag that contradicts the
// environment: of a task of a Slurm array that runs again alone, Slurm says
// that there is one task only.
absl::StatusOr<ChosenWorkShard> ChooseWorkShard(const WorkShardFlags& flags,
                                                const GetVariable& variable);

// Bazel's test sharding wants to know that a test looks at its shard only:
// makes the file TEST_SHARD_STATUS_FILE, if there is such a variable.
void AcknowledgeShard(const GetVariable& variable);

// The files of all groups: how many, and a digest of their paths in order.
Run::Inputs InputsOf(const std::vector<FileGroup>& groups);

// The groups of a shard: every `count`-th, so the files of one model stay
// together, and shards that see the same files divide them evenly.
std::vector<FileGroup> ShareOf(std::vector<FileGroup> groups,
                               const WorkShard& shard);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_WORK_SHARD_H_
