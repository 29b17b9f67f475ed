// A Report: the outcome of one run over some files, as writers show it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_REPORT_H_
#define GGUF_CONFORMANCE_REPORT_REPORT_H_

#include <string>
#include <vector>

#include "conformance/rules/validate.h"
#include "parser/rule.h"

namespace gguf {

enum class Result { kPass, kFail, kIncomplete };

struct Report {
  std::string profile;
  Severity fail_on = Severity::kError;  // And what is worse.
  // The rules that were selected or ignored on the command line, as given.
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  // Say of each file which readers will take it (conformance/rules/readers.h).
  bool readers = false;
  std::vector<FileReport> files;
};

// Incomplete beats fail: what was not checked to its end has no verdict.
Result ResultOf(const FileReport& file, Severity fail_on);

// "pass", "fail" or "incomplete".
const char* ResultName(Result result);

// The exit code of `ggufcheck check`: 0 all pass, 1 some fail, 3 some
// incomplete or no files at all.
int ExitCode(const Report& report);

// The version that reports and --version show.
inline constexpr char kToolVersion[] = "0.1.0";

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_REPORT_H_
