// Reading JSON reports back, to make other reports of them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_READ_JSON_H_
#define GGUF_CONFORMANCE_REPORT_READ_JSON_H_

#include <optional>

#include "absl/status/statusor.h"
#include "conformance/json/json_text.h"
#include "conformance/report/report.h"

namespace gguf {

// What stands before the files: the document itself, or the record "run".
absl::StatusOr<Run> RunFromJson(const Json& json);

// What stands behind them: what became of the baseline; nothing when there was
// none.
absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(
    const Json& json);

// A file of a report.  What the writers show is as it was; what only
// JudgeReaders() asks for (FileReport::off, ::extremes, ::stopped) is not
// there.
//
// InvalidArgument says which member is missing or wrong.  A rule that there is
// not, or a message with characters that no message has, is wrong, too: the
// report is of another version, or none of ours.
absl::StatusOr<FileReport> FileFromJson(const Json& json);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_READ_JSON_H_
