// The flags that several commands share: --limit-* and --jobs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_LIMIT_FLAGS_H_
#define GGUF_CLI_LIMIT_FLAGS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "parser/core/limits.h"

namespace gguf {

// Returns the flag for a name of conformance/config/limit_names.h, such as
// "--limit-keys".
std::string LimitFlag(const char* name);

// Adds --jobs, the number of threads, to a subcommand.
void AddJobsFlag(CLI::App* command, unsigned* jobs);

// Adds all --limit-* flags to a subcommand.
void AddLimitFlags(CLI::App* command, Limits* limits);

// Copies from `others` the limits that no flag of the command has set.
void SetOtherLimits(const CLI::App& command, const Limits& others,
                    Limits* limits);

}  // namespace gguf

#endif  // GGUF_CLI_LIMIT_FLAGS_H_
