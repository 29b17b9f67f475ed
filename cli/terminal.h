// Standard output, standard error, and interruptions by the user.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_TERMINAL_H_
#define GGUF_CLI_TERMINAL_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/output/output_file.h"
#include "parser/core/quote.h"  // Visible(), for what is printed.

namespace gguf {

// The exit codes of all subcommands.
enum ExitCodes {
  kOk = 0,
  kFindings = 1,    // The input has findings.
  kUsage = 2,       // Invalid command line.
  kCouldNotRun = 3  // The work did not complete.
};

// Returns the width of the terminal on standard output; 0 if it is not one.
size_t TerminalWidth();

// Returns whether text on standard output has colours, by the value of --color:
// for "auto" where FORCE_COLOR is set, and on a terminal without NO_COLOR.
bool UseColor(absl::string_view color = "auto");

// Writes to standard output.  Returns as Finish() does.
bool Print(absl::string_view text);

// Writes a line to standard error.
void PrintError(absl::string_view message);

// Prints the error.  Returns the exit code: kUsage for InvalidArgument (an
// invalid command line or configuration), otherwise kCouldNotRun.
int FailWith(const absl::Status& status);

// Closes a file.  Returns false when it could not be written.  Prints the error
// unless it is only that the reader of standard output has gone.
bool Finish(OutputFile* file);

// Installs handlers: the first SIGINT or SIGTERM makes Interrupted() true, the
// next one ends the program.
void CatchInterrupts();

bool Interrupted();

}  // namespace gguf

#endif  // GGUF_CLI_TERMINAL_H_
