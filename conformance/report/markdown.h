// The Markdown report, for a summary such as that of a GitHub job.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_MARKDOWN_H_
#define GGUF_CONFORMANCE_REPORT_MARKDOWN_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// Creates a writer of a summary, followed by a table for each of the first
// files with findings.  The output stays well below the 1 MiB that GitHub
// accepts for a step's summary, regardless of the number of files.
//
// `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewMarkdownWriter(const Run& run,
                                                std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_MARKDOWN_H_
