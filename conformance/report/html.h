// The report as a page.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_HTML_H_
#define GGUF_CONFORMANCE_REPORT_HTML_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// One self-contained file without scripts: the sum, then each file, folded up,
// with its findings, what the rules behind them say, and what was not checked.
//
// `out` outlives the writer.
std::unique_ptr<ReportWriter> NewHtmlWriter(const Run& run, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_HTML_H_
