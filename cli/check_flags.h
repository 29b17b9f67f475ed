// The flags of ggufcheck check, and the request that they make.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_FLAGS_H_
#define GGUF_CLI_CHECK_FLAGS_H_

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "conformance/engine/profile.h"
#include "conformance/gate/baseline_file.h"
#include "conformance/gate/check_request.h"
#include "conformance/gate/work_shard.h"
#include "conformance/input/open.h"
#include "parser/core/limits.h"
#include "parser/core/rule.h"

namespace gguf {

struct CheckFlags {
  std::vector<std::string> paths;
  std::string list, list0;  // Files that list paths; empty for none.
  FileChoice choice;
  std::string shard;   // Empty for all models.
  std::string config;  // A path; empty for the nearest.
  bool no_config = false;
  BaselineRequest baseline;
  std::string profile = Profile::kDefault;
  std::string format = "text";
  std::vector<std::string> reports;  // FORMAT=PATH
  std::string fail_on = "error";
  std::vector<std::string> select, ignore;
  std::string sha256;  // A digest, a path, or "names"; empty for none.
  std::string base;    // A path; empty for none.
  std::string digest;  // A path; empty for none.
  HeaderOptions header;
  std::vector<std::string> http_headers;
  bool weights = false;
  bool stats = false;
  std::string readers;  // Empty for none; "true", or llama.cpp@VERSION.
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  Limits limits;
};

// --shard of the commands that many machines share.
constexpr char kShardHelp[] =
    "Do only part K of N, counted from 1; with auto, the part that Bazel, "
    "Slurm "
    "or Kubernetes assigns in the environment";

// The values of --fail-on.
const std::map<std::string, Severity>& FailOnNames();

// Adds --format and --report, for every command that writes reports.
void AddReportFlags(CLI::App* command, std::string* format,
                    std::vector<std::string>* reports);

// Adds all flags of the check command.  `flags` must outlive the command.
void AddCheckFlags(CLI::App* command, CheckFlags* flags);

// Returns an environment variable.
std::optional<std::string> Variable(const std::string& name);

// Reads the configuration, the manifest and the base.  Flags of `command`
// override the configuration.  InvalidArgument reports an error in the flags,
// the configuration or the manifest; other errors concern the base.
absl::StatusOr<CheckRequest> MakeCheckRequest(const CLI::App& command,
                                              const CheckFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_FLAGS_H_
