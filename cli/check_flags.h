// The flags of ggufcheck check and compare, and the request that they make.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_FLAGS_H_
#define GGUF_CLI_CHECK_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "cli/report_output.h"
#include "conformance/gate/baseline_file.h"
#include "conformance/gate/check_request.h"
#include "conformance/gate/check_settings.h"
#include "conformance/gate/files.h"
#include "conformance/input/open.h"

namespace gguf {

struct CheckFlags {
  std::vector<std::string> paths;
  std::string list, list0;  // Files that list paths; empty for none.
  FileChoice choice;
  std::string shard;  // Empty for all models.
  bool no_config = false;
  BaselineRequest baseline;
  ReportFlags report;
  bool exit_zero = false;
  std::string sha256;  // A digest, a path, or "names"; empty for none.
  std::string digest;  // A path; empty for none.
  // What the files are compared with, by ggufcheck compare: a model or a
  // folder; both empty for none.
  std::string compare_base, source;
  HttpAccess http;
  std::vector<std::string> http_headers;
  std::string readers;     // The value of --readers.
  CheckSettings settings;  // Of the other flags.
};

// --shard of the commands that many machines share.
constexpr char kShardHelp[] =
    "Do only part K of N, counted from 1; with auto, the part that Bazel, "
    "Slurm "
    "or Kubernetes assigns in the environment";

// Adds all flags of the check command.  `flags` must outlive the command.
void AddCheckFlags(CLI::App* command, CheckFlags* flags);

// Adds all flags of the compare command.  `flags` must outlive the command.
void AddCompareFlags(CLI::App* command, CheckFlags* flags);

// Returns an environment variable.
std::optional<std::string> Variable(const std::string& name);

// Reads the configuration, the manifest and the base.  Flags override the
// configuration.  InvalidArgument reports an error in the flags, the
// configuration or the manifest; other errors concern the base.
absl::StatusOr<CheckRequest> MakeCheckRequest(const CheckFlags& flags);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_FLAGS_H_
