// The SARIF report: for code scanning, and other tools that collect findings.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_SARIF_H_
#define GGUF_CONFORMANCE_REPORT_SARIF_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// SARIF 2.1.0 (OASIS): one run, which declares all rules of the catalogue, with
// a result for each finding; those that a baseline knows are suppressed.  Files
// that could not be checked to their end, and what else was not checked, are
// notifications of the invocation.
//
// A finding's place is a range of bytes.  GitHub refuses regions without a
// line; a model has none, so it is always line 1.
//
// `out` outlives the writer.
std::unique_ptr<ReportWriter> NewSarifWriter(const Run& run, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_SARIF_H_
