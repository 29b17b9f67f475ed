// What a writer makes of reports, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_TESTING_WRITTEN_H_
#define GGUF_CONFORMANCE_REPORT_TESTING_WRITTEN_H_

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/report/report.h"
#include "conformance/engine/validate.h"

namespace gguf {

// A run, its files, and why there are not more of them.
struct TestReport {
  Run run;
  std::vector<FileReport> files;
  std::string unfinished;
  std::optional<BaselineOutcome> baseline;

  Totals totals() const;
};

using MakeWriter = std::unique_ptr<ReportWriter> (*)(const Run&, std::ostream&);
std::string Written(MakeWriter make, const TestReport& report);

// Of one file, by the profile `upload`, without what rules about models say.
TestReport ReportOn(absl::string_view bytes, const std::string& path,
                    const ValidateOptions& options = {});

// Terminal escapes, line breaks, markup, links and reordering.
inline constexpr char kHostile[] =
    "\x1b[31m\n::error::<b>&]]>[x](//h)`|*{0}%0A@a\xE2\x80\xAE\"\\";

// A file with such text wherever a file can have text of its own, its template
// included, under such a path.
TestReport HostileReport();

// A file with a known finding, by a configuration and a baseline in which this
// stands wherever a text of theirs can.
TestReport ReportWithBaseline(const std::string& text);

// Expects nothing that a terminal, a log of GitHub's or a reader's eye obeys;
// line breaks are the writer's own.
void ExpectPrintable(absl::string_view output);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_TESTING_WRITTEN_H_
