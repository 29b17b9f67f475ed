// The tables of results and levels; reads and writes logs.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/run_log.h"

#include <algorithm>
#include <iterator>
#include <ostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/json.h"

namespace gguf::readers {
namespace {

constexpr CaseResultInfo kResults[] = {
    {CaseResult::kUnsafe, "unsafe",
     "It crashed, hung, ran out of memory, wrote too much output or violated the protocol.", 0,
     true, false, true},
    {CaseResult::kWrongValues, "wrong-values",
     "It correctly accepted the file, but misread its contents.", 1, true, false, true},
    {CaseResult::kFalseAccept, "false-accept", "It accepted a file that must be rejected.", 1, true,
     false, true},
    {CaseResult::kFalseReject, "false-reject", "It rejected a file that must be accepted.", 1, true,
     false, true},
    {CaseResult::kNonStrict, "non-strict",
     "It does not do what a reader should do, but need not do.", 2, false, false, false},
    {CaseResult::kXpass, "xpass", "It passes, although it is listed as a known failure.", 2, true,
     true, true},
    {CaseResult::kXfail, "xfail", "It fails, and is listed as a known failure.", 3, true, false,
     false},
    {CaseResult::kInfo, "info",
     "Accepting the file is implementation-defined; the outcome is not scored.", 4, false, false,
     false},
    {CaseResult::kSkip, "skip", "It reported that it does not read such files.", 5, false, false,
     false},
    {CaseResult::kNotTested, "not-tested", "The case needs a capability that it does not announce.",
     5, false, false, false},
    {CaseResult::kPass, "pass", "It behaves as required.", 6, true, true, false},
};

constexpr struct {
  const char* name;
  const char* title;
} kLevelRows[kLevels] = {{"L0", "safe"},         {"L1", "verdict"}, {"L2", "metadata"},
                         {"L3", "tensor table"}, {"L4", "bytes"},   {"L5", "weights"}};

constexpr const char* kStates[] = {"not-tested", "fail", "pass"};

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
  if (!json.is_object()) return absl::InvalidArgumentError("is not a JSON object");
  return is_first ? RecordReader::Read(json, &log->header) : AddRecord(json, log);
}

bool IsJson(absl::string_view line) { return Json::accept(line.begin(), line.end()); }

void Write(const RunLog& log, std::ostream& out) {
  out << ToLine(log.header);
  for (const CaseRecord& record : log.cases) out << ToLine(record);
  if (log.footer) out << ToLine(*log.footer);
}

}  // namespace

absl::Span<const CaseResultInfo> CaseResults() { return kResults; }

const CaseResultInfo& InfoOf(CaseResult result) {
  const size_t row = static_cast<size_t>(result);
  Assert(row < CaseResults().size() && kResults[row].result == result,
         "the results are in the order of the enum");
  return kResults[row];
}

bool IsUnexpected(CaseResult result) { return InfoOf(result).unexpected; }

const char* LevelName(size_t level) { return kLevelRows[level].name; }
const char* LevelTitle(size_t level) { return kLevelRows[level].title; }

const char* JsonName(CaseResult result) { return InfoOf(result).name; }
const char* JsonName(LevelState state) { return kStates[static_cast<size_t>(state)]; }

bool FromJsonName(absl::string_view name, CaseResult* result) {
  for (const CaseResultInfo& info : CaseResults()) {
    if (info.name != name) continue;
    *result = info.result;
    return true;
  }
  return false;
}

bool FromJsonName(absl::string_view name, LevelState* state) {
  const auto found = std::find(std::begin(kStates), std::end(kStates), name);
  if (found == std::end(kStates)) return false;
  *state = static_cast<LevelState>(found - std::begin(kStates));
  return true;
}

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
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  if (number == 0) return absl::InvalidArgumentError("the log is empty");
  return log;
}

absl::StatusOr<std::unique_ptr<LogFile>> LogFile::Create(const std::string& path,
                                                         const InputFiles& inputs) {
  auto file = OutputFile::Create(path, path, inputs);
  if (!file.ok()) return file.status();
  return std::unique_ptr<LogFile>(new LogFile(path, inputs, *std::move(file)));
}

absl::Status LogFile::Begin(const RunHeader& header) {
  if (file_->in_place()) return absl::OkStatus();
  file_->out() << ToLine(header);
  return file_->Publish();
}

void LogFile::Add(const CaseRecord& record) {
  if (file_->in_place()) return;
  const std::string line = ToLine(record);
  const std::lock_guard<std::mutex> lock(mutex_);
  file_->out() << line << std::flush;  // Finish() writes it again.
}

absl::Status LogFile::Finish(const RunLog& log) {
  if (file_->in_place()) {
    Write(log, file_->out());
    return file_->Close();
  }
  const auto whole = OutputFile::Create(path_, path_, inputs_);
  if (!whole.ok()) return whole.status();
  Write(log, (*whole)->out());
  return (*whole)->Close();
}

}  // namespace gguf::readers
