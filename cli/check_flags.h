// The flags of ggufcheck check.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_FLAGS_H_
#define GGUF_CLI_CHECK_FLAGS_H_

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "conformance/engine/profile.h"
#include "conformance/gate/baseline_file.h"
#include "conformance/gate/work_shard.h"
#include "conformance/input/open.h"
#include "parser/core/limits.h"
#include "parser/core/rule.h"

namespace gguf {

struct CheckFlags {
  std::vector<std::string> paths;
  std::string list, list0;  // Files that list paths; empty for none.
  WorkShardFlags shard;
  std::string config;  // A path; empty for the nearest.
  bool no_config = false;
  BaselineRequest baseline;
  std::string profile = Profile::kDefault;
  std::string format = "text";
  std::vector<std::string> reports;  // FORMAT=PATH
  std::string fail_on = "error";
  std::vector<std::string> select, ignore;
  std::string base;    // A path; empty for none.
  std::string digest;  // A path; empty for none.
  HeaderOptions header;
  bool weights = false;
  bool stats = false;
  bool readers = false;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  Limits limits;
};

// The values of --fail-on.
const std::map<std::string, Severity>& FailOnNames();

// Adds --format and --report, for every command that writes reports.
void AddReportFlags(CLI::App* command, std::string* format,
                    std::vector<std::string>* reports);

// Returns InvalidArgument when flags contradict each other.
absl::Status CheckTogether(const CheckFlags& flags);

// Adds all flags of the check command.  `flags` must outlive the command.
void AddCheckFlags(CLI::App* command, CheckFlags* flags);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_FLAGS_H_
