// The JSON reports: one document (schema ggufcheck/report/1), or one line for
// each file (ggufcheck/report-lines/1).  Writes them, and reads them to write
// other reports from them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JSON_H_
#define GGUF_CONFORMANCE_REPORT_JSON_H_

#include <memory>
#include <optional>
#include <ostream>

#include "absl/status/statusor.h"
#include "conformance/base/json.h"
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
std::unique_ptr<ReportWriter> NewJsonLinesWriter(const Run& run, std::ostream& out);

// Reads the members before the files, from the document or the record "run".
absl::StatusOr<Run> RunFromJson(const Json& json);

// Reads the outcome of the baseline, which follows the files; nothing when
// there was no baseline.
absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(const Json& json);

// Reads a file of a report.  Restores everything that the writers show, but not
// the members that only JudgeReaders() needs (FileReport::off, ::extremes,
// ::stopped).
//
// InvalidArgument names the member that is missing or invalid.  An unknown
// rule, or a message with forbidden characters, is an error, too: the report is
// from another version or another tool.
absl::StatusOr<FileReport> FileFromJson(const Json& json);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JSON_H_
