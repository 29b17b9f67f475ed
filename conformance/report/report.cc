// Verdicts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/report.h"

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

int ExitCode(const Report& report) {
  if (report.files.empty()) return 3;
  int code = 0;
  for (const FileReport& file : report.files) {
    const Result result = ResultOf(file, report.fail_on);
    if (result == Result::kIncomplete) return 3;
    if (result == Result::kFail) code = 1;
  }
  return code;
}

}  // namespace gguf
