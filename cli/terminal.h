// What standard output is: a terminal or not, its width, colours or none.
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

// Columns of the terminal that standard output is; 0 when it is none.
size_t TerminalWidth();

// A terminal, and NO_COLOR is not set.
bool UseColor();

// Writes to standard output.  As Finish().
bool Print(absl::string_view text);

// Writes a line to standard error.
void PrintError(absl::string_view message);

// Closes a file.  False when it could not be written, which is printed unless
// only the reader of standard output has left.
bool Finish(OutputFile* file);

}  // namespace gguf

#endif  // GGUF_CLI_TERMINAL_H_
