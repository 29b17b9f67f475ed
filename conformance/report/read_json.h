// Reads JSON reports, to write other reports from them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_READ_JSON_H_
#define GGUF_CONFORMANCE_REPORT_READ_JSON_H_

#include <optional>

#include "absl/status/statusor.h"
#include "conformance/json/json_text.h"
#include "conformance/report/report.h"

namespace gguf {

// Reads the members before the files, from the document or the record "run".
absl::StatusOr<Run> RunFromJson(const Json& json);

// Reads the outcome of the baseline, which follows the files; nothing when
// there was no baseline.
absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(
    const Json& json);

// Reads a file of a report.  Restores everything that the writers show, but not
// the members that only JudgeReaders() needs (FileReport::off, ::extremes,
// ::stopped).
//
// InvalidArgument names the member that is missing or invalid.  An unknown
// rule, or a message with forbidden characters, is an error, too: the report is
// from another version or another tool.
absl::StatusOr<FileReport> FileFromJson(const Json& json);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_READ_JSON_H_
