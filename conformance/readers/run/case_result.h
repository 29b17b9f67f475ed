// CaseResult: what one case says of a reader, by a name that logs show.
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
  const char* meaning;  // In a sentence for people.
  int rank;             // Results of the same rank are as bad; 0 is the worst.
  // Whether the reader was judged by the case, and so the case counts in its
  // score; and whether it counts as passed there.
  bool judged;
  bool passed;
  bool unexpected;  // Whether the run fails by it.
};

// All of them, in the order of the enum.
absl::Span<const CaseResultInfo> CaseResults();

const CaseResultInfo& InfoOf(CaseResult result);

// Whether a run with this result is not as expected.
bool IsUnexpected(CaseResult result);

// Nothing when there is no such result.
std::optional<CaseResult> FindCaseResult(absl::string_view name);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_
