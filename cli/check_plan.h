// CheckPlan: what a command line and a configuration together ask of a check.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_CHECK_PLAN_H_
#define GGUF_CLI_CHECK_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "cli/check_flags.h"
#include "cli/config.h"
#include "cli/report_output.h"
#include "cli/work_shard.h"
#include "conformance/integrity/digest_manifest.h"
#include "conformance/report/report.h"
#include "conformance/rules/profile.h"

namespace gguf {

struct CheckPlan {
  ConfigFile config;
  Profile profile;
  std::vector<ReportTarget> reports;
  ChosenWorkShard shard;
  std::optional<DigestManifest> digests;
  Run run;  // But for its inputs, which nobody has looked for yet.
};

// A variable of the environment.
std::optional<std::string> Variable(const std::string& name);

// Reads the configuration, and sets in `flags` what none of `command` has set.
// Errors say what is wrong with the flags, the configuration or the manifest.
absl::StatusOr<CheckPlan> MakeCheckPlan(const CLI::App& command,
                                        CheckFlags* flags);

}  // namespace gguf

#endif  // GGUF_CLI_CHECK_PLAN_H_
