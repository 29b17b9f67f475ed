// The text report.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_TEXT_H_
#define GGUF_CONFORMANCE_REPORT_TEXT_H_

#include <memory>
#include <ostream>

#include "conformance/base/text_style.h"
#include "conformance/report/report.h"

namespace gguf {

// Creates a writer of text.  `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewTextWriter(const Run& run, const TextStyle& style,
                                            std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_TEXT_H_
