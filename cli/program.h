// BuildProgram: the command line with all commands and their help.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_PROGRAM_H_
#define GGUF_CLI_PROGRAM_H_

#include "CLI/CLI.hpp"

namespace gguf {

// Sets up the name, the help texts and the commands of an empty `program`.  A
// command that ran stores one of ExitCodes in `*exit_code`, which must outlive
// `program`.
void BuildProgram(CLI::App* program, int* exit_code);

}  // namespace gguf

#endif  // GGUF_CLI_PROGRAM_H_
