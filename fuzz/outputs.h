// Requirements on reports, whatever the texts in them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_OUTPUTS_H_
#define GGUF_FUZZ_OUTPUTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "fuzz/target.h"

namespace gguf {

// Returns the name of a format of reports.
std::string AnyReportFormat(Choice* choice);

// Requires that the output is valid in its format ("json", "ndjson", "sarif",
// "junit", "badge", "html", "github" or another), and that it is UTF-8 without
// control and invisible characters.  HTML has only ggufcheck's elements and
// attributes.  In formats for a log, nothing is a command of a CI system that
// ggufcheck did not write.
void RequireInert(absl::string_view format, absl::string_view output);

}  // namespace gguf

#endif  // GGUF_FUZZ_OUTPUTS_H_
