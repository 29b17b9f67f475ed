// The table of formats.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/writers.h"

#include "conformance/report/json.h"

namespace gguf {
namespace {

struct ReportFormat {
  const char* name;
  std::unique_ptr<ReportWriter> (*make)(const Run& run, std::ostream& out);
};

// Text is the only format that uses a style.
constexpr char kText[] = "text";
constexpr ReportFormat kFormats[] = {
    {"json", NewJsonWriter},         {"ndjson", NewJsonLinesWriter},
    {"sarif", NewSarifWriter},       {"junit", NewJunitWriter},
    {"markdown", NewMarkdownWriter}, {"html", NewHtmlWriter},
    {"github", NewGithubWriter},
};

}  // namespace

std::vector<std::string> ReportFormatNames() {
  std::vector<std::string> names = {kText};
  for (const ReportFormat& format : kFormats) names.push_back(format.name);
  return names;
}

std::unique_ptr<ReportWriter> NewReportWriter(absl::string_view format,
                                              const Run& run,
                                              const TextStyle& style,
                                              std::ostream& out) {
  if (format == kText) return NewTextWriter(run, style, out);
  for (const ReportFormat& row : kFormats) {
    if (format == row.name) return row.make(run, out);
  }
  return nullptr;
}

}  // namespace gguf
