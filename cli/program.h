// The command line: all commands, and how their help looks.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_PROGRAM_H_
#define GGUF_CLI_PROGRAM_H_

#include "CLI/CLI.hpp"

namespace gguf {

// Gives an empty `program` its name, its texts and its commands.  A command
// that is parsed leaves one of ExitCodes in `*exit_code`, which has to outlive
// the program.
void BuildProgram(CLI::App* program, int* exit_code);

}  // namespace gguf

#endif  // GGUF_CLI_PROGRAM_H_
