// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/run_log.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/json/json_text.h"
#include "conformance/json/record.h"

namespace gguf::readers {
namespace {

template <class T>
std::string Line(const T& record) {
  return JsonText(RecordWriter::Write(record)) + "\n";
}

// Parses a line after the first.
absl::Status AddRecord(const Json& json, RunLog* log) {
  if (log->footer) {
    return absl::InvalidArgumentError("unexpected line after the footer");
  }
  if (json.contains("case")) {
    return RecordReader::Read(json, &log->cases.emplace_back());
  }
  if (json.contains("complete")) {
    return RecordReader::Read(json, &log->footer.emplace());
  }
  return absl::InvalidArgumentError("is neither a case nor the footer");
}

absl::Status AddLine(absl::string_view line, bool is_first, RunLog* log) {
  const Json json = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object())
    return absl::InvalidArgumentError("is not a JSON object");
  return is_first ? RecordReader::Read(json, &log->header)
                  : AddRecord(json, log);
}

bool IsJson(absl::string_view line) {
  return Json::accept(line.begin(), line.end());
}

}  // namespace

std::string ToLine(const RunHeader& header) { return Line(header); }
std::string ToLine(const CaseRecord& record) { return Line(record); }
std::string ToLine(const RunFooter& footer) { return Line(footer); }

absl::StatusOr<RunLog> ReadRunLog(absl::string_view text) {
  RunLog log;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const absl::string_view line = text.substr(0, end);
    const bool is_cut = end == absl::string_view::npos && !IsJson(line);
    if (is_cut && number > 0) break;
    ++number;
    const absl::Status status = AddLine(line, number == 1, &log);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": ", status.message()));
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (number == 0) return absl::InvalidArgumentError("the log is empty");
  return log;
}

}  // namespace gguf::readers
