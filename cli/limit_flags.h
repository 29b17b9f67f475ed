// The flags that several commands share: --limit-* and --jobs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_LIMIT_FLAGS_H_
#define GGUF_CLI_LIMIT_FLAGS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "parser/core/limits.h"

namespace gguf {

// "--limit-keys", of a name of conformance/config/limit_names.h.
std::string LimitFlag(const char* name);

// Adds --jobs, of the threads of a subcommand, to it.
void AddJobsFlag(CLI::App* command, unsigned* jobs);

// Adds all of them to a subcommand.
void AddLimitFlags(CLI::App* command, Limits* limits);

// Sets the limits that no flag of the command has set to those of `others`.
void SetOtherLimits(const CLI::App& command, const Limits& others,
                    Limits* limits);

}  // namespace gguf

#endif  // GGUF_CLI_LIMIT_FLAGS_H_
