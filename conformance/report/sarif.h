// The SARIF report, for code scanning and other tools that collect findings.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_SARIF_H_
#define GGUF_CONFORMANCE_REPORT_SARIF_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// Creates a writer of SARIF 2.1.0 (OASIS): one run, which declares all rules of
// the catalogue, with a result for each finding; findings in the baseline are
// suppressed.  Incomplete files and rules that were not checked become
// notifications of the invocation.
//
// A finding's location is a byte range.  GitHub rejects regions without a line;
// a model has no lines, so the line is always 1.
//
// `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewSarifWriter(const Run& run, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_SARIF_H_
