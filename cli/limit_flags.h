// The flags that several commands share, --limit-* and --jobs, and a function
// that adds others.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_LIMIT_FLAGS_H_
#define GGUF_CLI_LIMIT_FLAGS_H_

#include <string>

#include "CLI/CLI.hpp"
#include "parser/core/limits.h"

namespace gguf {

// Adds a flag with a value, or a positional argument.  The help shows `type`.
template <class Value>
CLI::Option* AddValue(CLI::App* command, const std::string& name, Value* value,
                      const char* type, const std::string& help) {
  return command->add_option(name, *value, help)->type_name(type);
}

// Adds a flag whose value is one of `values`.
void AddChoice(CLI::App* command, const char* name, std::string* value,
               const std::vector<std::string>& values, const std::string& help);

// Adds a flag that may be given several times.
void AddList(CLI::App* command, const char* name,
             std::vector<std::string>* value, const char* type,
             const char* help);

// Returns the flag for a name of conformance/config/config.h, such as
// "--limit-keys".
std::string LimitFlag(const char* name);

// Adds --jobs, the number of threads, to a subcommand.
void AddJobsFlag(CLI::App* command, unsigned* jobs);

// Adds all --limit-* flags to a subcommand.
void AddLimitFlags(CLI::App* command, Limits* limits);

}  // namespace gguf

#endif  // GGUF_CLI_LIMIT_FLAGS_H_
