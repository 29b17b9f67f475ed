// What came of running readers, for people and for programs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_REPORT_REPORTS_H_
#define GGUF_CONFORMANCE_READERS_REPORT_REPORTS_H_

#include <cstddef>
#include <string>

#include "conformance/readers/report/matrix.h"
#include "conformance/readers/run/run_log.h"
#include "conformance/report/text.h"

namespace gguf::readers {

// For a terminal.
std::string TerminalReport(const Matrix& matrix, const TextStyle& style);

struct JsonStyle {
  int indent = 1;  // -1 puts everything on one line.
  // Of a case's bytes, how many around the first mark; of its text, too.
  size_t most_bytes = kMostHex;
  size_t most_text = static_cast<size_t>(-1);
};

// Everything, as conformance/report/schemas/readers-report.schema.json
// describes it, with a newline at the end.
std::string JsonReport(const Matrix& matrix, const JsonStyle& style);

// For a comment or the summary of a CI job on GitHub.
std::string MarkdownReport(const Matrix& matrix);

// A page in one file, which needs nothing else and no network.
std::string HtmlReport(const Matrix& matrix);

// For Jenkins and its like: a suite for each reader, a test for each case.
std::string JunitReport(const Matrix& matrix);

// An SVG image with the score of the first reader.
std::string BadgeReport(const Matrix& matrix);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_REPORTS_H_
