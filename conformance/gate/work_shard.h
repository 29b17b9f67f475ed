// Determines the shard of the models that a run checks.
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
#include "conformance/gate/files.h"
#include "conformance/report/report.h"

namespace gguf {

// --shard-index and --shard-count.
struct WorkShardFlags {
  std::optional<uint64_t> index;
  std::optional<uint64_t> count;
};

// Returns an environment variable; nothing when it is not set.
using GetVariable =
    std::function<std::optional<std::string>(const std::string& name)>;

struct ChosenWorkShard {
  WorkShard shard;
  std::string from;  // The variable that chose it; empty otherwise.
};

// Determines the shard from the flags; else from the environment of Bazel's
// test sharding, of a Slurm array job, or of a Kubernetes indexed Job, whose
// number of Pods must be given by the flag or the variable JOB_COMPLETIONS;
// else returns all of the work.
//
// InvalidArgument for an index that is not below its count, for one without the
// other, for a value that is not a number, and for a flag that contradicts the
// environment: when one task of a Slurm array is run again alone, Slurm reports
// a single task.
absl::StatusOr<ChosenWorkShard> ChooseWorkShard(const WorkShardFlags& flags,
                                                const GetVariable& variable);

// Tells Bazel that sharding is supported: creates the file named by
// TEST_SHARD_STATUS_FILE, if that variable is set.
void AcknowledgeShard(const GetVariable& variable);

// Returns the number of files in all groups, and a digest of their paths in
// order.
Run::Inputs InputsOf(const std::vector<FileGroup>& groups);

// Returns the groups of a shard: every `count`-th.  The files of one model stay
// together, and shards that see the same files divide them evenly.
std::vector<FileGroup> ShareOf(std::vector<FileGroup> groups,
                               const WorkShard& shard);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_WORK_SHARD_H_
