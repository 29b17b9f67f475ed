// Writes reports on runs of readers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_REPORT_REPORTS_H_
#define GGUF_CONFORMANCE_READERS_REPORT_REPORTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/base/text_style.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// A report for a terminal.
std::string TerminalReport(const Matrix& matrix, const TextStyle& style);

struct JsonStyle {
  int indent = 1;  // -1: a single line.
  // The maximum of a case's bytes, around the first mark, and of its text.
  size_t most_bytes = kMostHex;
  size_t most_text = static_cast<size_t>(-1);
};

// A complete report with a final newline, described by
// conformance/report/schemas/readers-report.schema.json.
std::string JsonReport(const Matrix& matrix, const JsonStyle& style);

// A report for a comment or the summary of a CI job on GitHub.
std::string MarkdownReport(const Matrix& matrix);

// A self-contained page that needs no network.
std::string HtmlReport(const Matrix& matrix);

// A report for CI systems: a suite for each reader, a test for each case.
std::string JunitReport(const Matrix& matrix);

// An SVG image with the score of the first reader.
std::string BadgeReport(const Matrix& matrix);

// Cases by how they changed; pointers refer to the runs.
struct Changes {
  // A case of both runs; `before` is null for a case that was not run before.
  struct Change {
    const CaseRecord* before;
    const CaseRecord* after;
  };
  std::vector<Change> broken;              // Fails, and did not fail before.
  std::vector<Change> fixed;               // Failed, and does so no longer.
  std::vector<Change> listed;              // Failed, and is now a known failure.
  std::vector<Change> other;               // Another result or outcome.
  std::vector<Change> added;               // A case that was not run before, and fails.
  std::vector<const CaseRecord*> removed;  // Not run now.
};

Changes FindChanges(const ReaderRun& before, const ReaderRun& after);

// A report for a comment on GitHub, in Markdown.
std::string ChangesReport(const ReaderRun& before, const ReaderRun& after);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_REPORTS_H_
