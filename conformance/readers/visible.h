// Visible texts: what a terminal or a browser would act upon is escaped.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_VISIBLE_H_
#define GGUF_CONFORMANCE_READERS_VISIBLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/readers/run_log.h"

namespace gguf::readers {

// Control, invisible and reordering characters, and what is not UTF-8, as
// escapes: \n, \x1b, \u{202e}.  So nothing begins a line, which in a CI job's
// output could be a command.
std::string VisibleText(absl::string_view text);

// The same for a text of several lines: newlines and tabs stay.
std::string VisibleLines(absl::string_view text);

// Every text of the log so; cases' texts and standard error have lines.
void MakeVisible(RunLog* log);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_VISIBLE_H_
