// Creates report writers by the name of their format.
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

// Returns the names that --format and --report accept.
std::vector<std::string> ReportFormatNames();

// Returns null for an unknown format.  Only the text format uses `style`. `out`
// must outlive the writer.
std::unique_ptr<ReportWriter> NewReportWriter(absl::string_view format,
                                              const Run& run,
                                              const TextStyle& style,
                                              std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_FORMATS_H_
