// Functions for standard output and standard error.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_TERMINAL_H_
#define GGUF_CLI_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/output/output_file.h"
#include "parser/core/quote.h"  // Visible(), for what is printed.

namespace gguf {

// Returns the width of the terminal on standard output; 0 if it is not one.
size_t TerminalWidth();

// Returns whether standard output is a terminal and NO_COLOR is not set.
bool UseColor();

// Writes to standard output.  Returns as Finish() does.
bool Print(absl::string_view text);

// Writes a line to standard error.
void PrintError(absl::string_view message);

// Closes a file.  Returns false when it could not be written.  Prints the error
// unless it is only that the reader of standard output has gone.
bool Finish(OutputFile* file);

}  // namespace gguf

#endif  // GGUF_CLI_TERMINAL_H_
