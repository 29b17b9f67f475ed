// CaseResult: the result of one case for a reader, with its name in logs.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf::readers {

enum class CaseResult {  // Worst first.
  kUnsafe,
  kWrongValues,
  kFalseAccept,
  kFalseReject,
  kNonStrict,
  kXpass,
  kXfail,
  kInfo,
  kSkip,
  kNotTested,
  kPass,
};

struct CaseResultInfo {
  CaseResult result;
  const char* name;     // As in logs: "false-accept".
  const char* meaning;  // A sentence for reports.
  int rank;             // 0 is the worst; results can share a rank.
  // Whether the case counts in the reader's score, and whether it counts as
  // passed.
  bool judged;
  bool passed;
  bool unexpected;  // Whether it makes the run fail.
};

// Returns all results, in the order of the enum.
absl::Span<const CaseResultInfo> CaseResults();

const CaseResultInfo& InfoOf(CaseResult result);

// Whether this result makes the run fail.
bool IsUnexpected(CaseResult result);

// Returns nullopt if there is no such result.
std::optional<CaseResult> FindCaseResult(absl::string_view name);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_
