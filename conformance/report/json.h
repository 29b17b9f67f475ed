// The JSON reports: one document (schema ggufcheck/report/1), or one line for
// each file (ggufcheck/report-lines/1).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JSON_H_
#define GGUF_CONFORMANCE_REPORT_JSON_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

inline constexpr char kReportSchema[] = "ggufcheck/report/1";
inline constexpr char kReportLinesSchema[] = "ggufcheck/report-lines/1";

// Creates a writer of one document, ending with a line break, described by
// schemas/report.schema.json.  Numbers from a file are strings: they may not
// fit a JSON number.
//
// `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewJsonWriter(const Run& run, std::ostream& out);

// Creates a writer of JSON lines: one for the run, one for each file as soon as
// it is checked, and one at the end that tells whether all were checked.  Each
// has a member "record", which is "run", "file" or "end", and the corresponding
// members of the JSON document.
std::unique_ptr<ReportWriter> NewJsonLinesWriter(const Run& run,
                                                 std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JSON_H_
