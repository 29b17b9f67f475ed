// The formats of reports, by name.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_FORMATS_H_
#define GGUF_CONFORMANCE_REPORT_FORMATS_H_

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/report/report.h"
#include "conformance/report/text.h"

namespace gguf {

// The names that --format and --report take.
std::vector<std::string> ReportFormatNames();

// Null when there is no such format.  `style` is for text alone.  `out`
// outlives the writer.
std::unique_ptr<ReportWriter> NewReportWriter(absl::string_view format,
                                              const Run& run,
                                              const TextStyle& style,
                                              std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_FORMATS_H_
