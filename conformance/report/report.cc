// Verdicts and sums.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/report.h"

#include "absl/strings/str_cat.h"

namespace gguf {

Result ResultOf(const FileReport& file, Severity fail_on) {
  if (!file.incomplete.empty()) return Result::kIncomplete;
  const bool errors = file.counts.error > 0;
  const bool warnings =
      file.counts.warning > 0 && fail_on <= Severity::kWarning;
  const bool notes = file.counts.note > 0 && fail_on <= Severity::kNote;
  return errors || warnings || notes ? Result::kFail : Result::kPass;
}

const char* ResultName(Result result) {
  switch (result) {
    case Result::kPass:
      return "pass";
    case Result::kFail:
      return "fail";
    case Result::kIncomplete:
      return "incomplete";
  }
  return "";
}

void Totals::Add(const FileReport& file, Severity fail_on) {
  switch (ResultOf(file, fail_on)) {
    case Result::kPass:
      ++pass;
      break;
    case Result::kFail:
      ++fail;
      break;
    case Result::kIncomplete:
      ++incomplete;
      break;
  }
  counts.error += file.counts.error;
  counts.warning += file.counts.warning;
  counts.note += file.counts.note;
}

std::string Count(uint64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string Summary(const Totals& totals) {
  return absl::StrCat(Count(totals.files(), "file"), ": ", totals.pass,
                      " pass, ", totals.fail, " fail, ", totals.incomplete,
                      " incomplete; ", Count(totals.counts.error, "error"),
                      ", ", Count(totals.counts.warning, "warning"), ", ",
                      Count(totals.counts.note, "note"));
}

int ExitCode(const Totals& totals) {
  if (totals.files() == 0 || !totals.complete()) return 3;
  return totals.fail > 0 ? 1 : 0;
}

}  // namespace gguf
