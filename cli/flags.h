// The flags of commands: those of the options of a check, and of other kinds.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_FLAGS_H_
#define GGUF_CLI_FLAGS_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "conformance/check/option_table.h"
#include "conformance/rules/check_options.h"

namespace gguf {

// Returns the options with which a command of the program begins: a thread per
// core.
CheckOptions ProgramOptions();

// Adds the flag of an option of a check.  `options` must outlive the command.
void AddFlag(CLI::App* command, const CheckOption& option, CheckOptions* options);

// Adds the flags of some options, by name.
void AddFlags(CLI::App* command, std::initializer_list<const char*> names, CheckOptions* options);

// Adds all --limit-* flags.
void AddLimitFlags(CLI::App* command, CheckOptions* options);

// Adds a flag with a value, or a positional argument.  The help shows `type`.
template <class Value>
CLI::Option* AddValue(CLI::App* command, const std::string& name, Value* value, const char* type,
                      const std::string& help) {
  return command->add_option(name, *value, help)->type_name(type);
}

// Adds a flag whose value is one of `values`.
void AddChoice(CLI::App* command, const char* name, std::string* value,
               const std::vector<std::string>& values, const std::string& help);

}  // namespace gguf

#endif  // GGUF_CLI_FLAGS_H_
