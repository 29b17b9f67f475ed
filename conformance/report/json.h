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

// One document, ending with a line break.  schemas/report.schema.json describes
// it.  Numbers from a file are strings: they may not fit a JSON number.
//
// `out` outlives the writer.
std::unique_ptr<ReportWriter> NewJsonWriter(const Run& run, std::ostream& out);

// A line of JSON for the run, one for each file as soon as it is checked, one
// at the end that says whether all were: each has a member "record", which is
// "run", "file" or "end", and those that the document has of the same.
std::unique_ptr<ReportWriter> NewJsonLinesWriter(const Run& run,
                                                 std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JSON_H_
