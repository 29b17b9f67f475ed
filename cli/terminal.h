// What standard output is: a terminal or not, its width, colours or none.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_TERMINAL_H_
#define GGUF_CLI_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "parser/quote.h"  // Visible(), for what is printed.

namespace gguf {

// Columns of the terminal that standard output is; 0 when it is none.
size_t TerminalWidth();

// A terminal, and NO_COLOR is not set.
bool UseColor();

// Writes to standard output, or to standard error.  False when it cannot be
// written: the disk is full, the pipe is closed.
bool Print(absl::string_view text);
void PrintError(absl::string_view message);

}  // namespace gguf

#endif  // GGUF_CLI_TERMINAL_H_
