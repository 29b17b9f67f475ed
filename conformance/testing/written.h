// Builds reports and runs writers on them, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TESTING_WRITTEN_H_
#define GGUF_CONFORMANCE_TESTING_WRITTEN_H_

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/report/report.h"
#include "conformance/rules/validate.h"

namespace gguf {

// A run, its files, and why files are missing.
struct TestReport {
  Run run;
  std::vector<FileReport> files;
  std::string unfinished;
  std::optional<BaselineOutcome> baseline;

  Totals totals() const;
};

using MakeWriter = std::unique_ptr<ReportWriter> (*)(const Run&, std::ostream&);
std::string Written(MakeWriter make, const TestReport& report);

// Returns the report on one file, with the profile `upload` and without
// findings of the rules about models.
TestReport ReportOn(absl::string_view bytes, const std::string& path,
                    const CheckOptions& options = {});

// Terminal escapes, line breaks, markup, links and reordering.
inline constexpr char kHostile[] = "\x1b[31m\n::error::<b>&]]>[x](//h)`|*{0}%0A@a\xE2\x80\xAE\"\\";

// Returns a report on a file with hostile text in its path and in every place
// where a file can contain text, including its template.
TestReport HostileReport();

// Returns a report on a file with a known finding, whose configuration and
// baseline contain `text` wherever possible.
TestReport ReportWithBaseline(const std::string& text);

// Expects no characters that affect a terminal or a GitHub log, or that deceive
// a person; line breaks must come from the writer.
void ExpectPrintable(absl::string_view output);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TESTING_WRITTEN_H_
