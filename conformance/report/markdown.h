// The report for a summary in Markdown, such as that of a GitHub job.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_MARKDOWN_H_
#define GGUF_CONFORMANCE_REPORT_MARKDOWN_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// The sum, then a table for each of the first files that have findings.  Stays
// well below the mebibyte that GitHub takes for a step's summary, whatever the
// number of files.
//
// `out` outlives the writer.
std::unique_ptr<ReportWriter> NewMarkdownWriter(const Run& run,
                                                std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_MARKDOWN_H_
