// Determines the shard of the models that a run checks.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_WORK_SHARD_H_
#define GGUF_CONFORMANCE_CHECK_WORK_SHARD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/check/files.h"
#include "conformance/report/report.h"

namespace gguf {

// Returns an environment variable; nothing when it is not set.
using GetVariable = std::function<std::optional<std::string>(const std::string& name)>;

// Reads the environment of the process.
std::optional<std::string> Variable(const std::string& name);

struct ChosenWorkShard {
  WorkShard shard;
  std::string from;  // The variable that chose it; empty otherwise.
};

// Determines the shard from --shard: all of the work if it is empty; for
// "auto", from the environment of Bazel's test sharding, of a Slurm array job,
// or of a Kubernetes indexed Job whose manifest sets JOB_COMPLETIONS; otherwise
// as ParseWorkShard().
//
// InvalidArgument for a text that is none of these, for "auto" outside of these
// environments, and for variables that contradict each other or are no numbers.
absl::StatusOr<ChosenWorkShard> ChooseWorkShard(absl::string_view flag,
                                                const GetVariable& variable);

// Tells Bazel that sharding is supported: creates the file named by
// TEST_SHARD_STATUS_FILE, if that variable is set.
void AcknowledgeShard(const GetVariable& variable);

// Returns the number of files in all groups, and a digest of their paths in
// order.
Run::Inputs InputsOf(const std::vector<FileGroup>& groups);

// Returns the groups of a shard: every `count`-th.  The files of one model stay
// together, and shards that see the same files divide them evenly.
std::vector<FileGroup> ShareOf(std::vector<FileGroup> groups, const WorkShard& shard);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_WORK_SHARD_H_
