// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/read_json.h"

#include <utility>

#include "absl/status/status.h"
#include "conformance/json/record.h"
#include "conformance/report/report_members.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::StatusOr<Run> RunFromJson(const Json& json) {
  Run run;
  const absl::Status status = RecordReader::Read(json, &run);
  if (!status.ok()) return status;
  return run;
}

absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(
    const Json& json) {
  Totals totals;
  const absl::Status status = RecordReader::Read(json, &totals);
  if (!status.ok()) return status;
  return std::move(totals.baseline);
}

absl::StatusOr<FileReport> FileFromJson(const Json& json) {
  FileReport file;
  FileRecord record{&file, Severity::kError};
  const absl::Status status = RecordReader::Read(json, &record);
  if (!status.ok()) return status;
  for (FileReport::NotChecked& rule : file.not_checked) {
    if (rule.why == Reason::NotRequested().text)
      rule.meaning = Reason::kNotRequested;
    if (rule.why == file.incomplete) rule.meaning = Reason::kIncomplete;
  }
  return file;
}

}  // namespace gguf
