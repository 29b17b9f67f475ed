// The report writers, and the table of formats.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_WRITERS_H_
#define GGUF_CONFORMANCE_REPORT_WRITERS_H_

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/report/json.h"
#include "conformance/report/report.h"
#include "conformance/report/text.h"

namespace gguf {

// These functions create the writer of one format.  json.h and text.h have the
// others.  `out` must outlive the writer.

// Creates a writer of workflow commands for the log of a step of GitHub
// Actions.  GitHub shows ten errors, ten warnings and ten notices of a step and
// drops the rest.  So the first command is a summary, the worst findings come
// next, and the findings of one rule in one file share a line.
std::unique_ptr<ReportWriter> NewGithubWriter(const Run& run, std::ostream& out);

// Creates a writer of one self-contained page, which also works without
// scripts: the summary, then a collapsible section per file, the worst first,
// with its findings, their rules, and what was not checked.
std::unique_ptr<ReportWriter> NewHtmlWriter(const Run& run, std::ostream& out);

// Creates a writer with one test suite per file, for Jenkins, GitLab and other
// tools that show test results.  Its test cases are the rules with findings,
// which fail if these are at or above fail_on; one that is skipped, if some
// rules were not checked; and one that tells whether the check completed.  The
// output is valid by junit-10.xsd of Jenkins' xUnit plugin.
std::unique_ptr<ReportWriter> NewJunitWriter(const Run& run, std::ostream& out);

// Creates a writer of a summary, such as that of a GitHub job, followed by a
// table for each of the first files with findings.  The output stays well below
// the 1 MiB that GitHub accepts for a step's summary, regardless of the number
// of files.
std::unique_ptr<ReportWriter> NewMarkdownWriter(const Run& run, std::ostream& out);

// Creates a writer of SARIF 2.1.0 (OASIS), for code scanning and other tools
// that collect findings: one run, which has a result for each finding and
// declares the rules that have results; findings in the baseline are
// suppressed. Incomplete files and rules that were not checked become
// notifications of the invocation.
//
// A finding's location is a byte range.  GitHub rejects regions without a line;
// a model has no lines, so the line is always 1.
std::unique_ptr<ReportWriter> NewSarifWriter(const Run& run, std::ostream& out);

// The formats other than text, which alone uses a style.
struct ReportFormat {
  const char* name;
  std::unique_ptr<ReportWriter> (*make)(const Run& run, std::ostream& out);
};
inline constexpr ReportFormat kReportFormats[] = {
    {"json", NewJsonWriter},     {"ndjson", NewJsonLinesWriter},  {"sarif", NewSarifWriter},
    {"junit", NewJunitWriter},   {"markdown", NewMarkdownWriter}, {"html", NewHtmlWriter},
    {"github", NewGithubWriter},
};

// Returns the names that --format and --report accept.
inline std::vector<std::string> ReportFormatNames() {
  std::vector<std::string> names = {"text"};
  for (const ReportFormat& format : kReportFormats) {
    names.push_back(format.name);
  }
  return names;
}

// Returns null for an unknown format.
inline std::unique_ptr<ReportWriter> NewReportWriter(absl::string_view format, const Run& run,
                                                     const TextStyle& style, std::ostream& out) {
  if (format == "text") return NewTextWriter(run, style, out);
  for (const ReportFormat& row : kReportFormats) {
    if (format == row.name) return row.make(run, out);
  }
  return nullptr;
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_WRITERS_H_
