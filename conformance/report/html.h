// The HTML report.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_HTML_H_
#define GGUF_CONFORMANCE_REPORT_HTML_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// Creates a writer of one self-contained file without scripts: the summary,
// then a collapsible section per file with its findings, their rules, and what
// was not checked.
//
// `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewHtmlWriter(const Run& run, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_HTML_H_
