// The results, a row for each.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/case_result.h"

#include "parser/core/assert.h"

namespace gguf::readers {
namespace {

constexpr CaseResultInfo kResults[] = {
    {CaseResult::kUnsafe, "unsafe",
     "It crashed, hung, ran out of memory, flooded its output or broke the "
     "protocol.",
     0, true, false, true},
    {CaseResult::kWrongValues, "wrong-values",
     "It accepted the file rightly and read something else than it holds.", 1,
     true, false, true},
    {CaseResult::kFalseAccept, "false-accept",
     "It accepted a file that must be rejected.", 1, true, false, true},
    {CaseResult::kFalseReject, "false-reject",
     "It rejected a file that must be accepted.", 1, true, false, true},
    {CaseResult::kNonStrict, "non-strict",
     "It does not do what a reader should, but need not, do.", 2, false, false,
     false},
    {CaseResult::kXpass, "xpass",
     "It is listed as a known failure, and does what it must.", 2, true, true,
     true},
    {CaseResult::kXfail, "xfail", "It fails, and is known to.", 3, true, false,
     false},
    {CaseResult::kInfo, "info",
     "The format leaves open what a reader does; this is what it does.", 4,
     false, false, false},
    {CaseResult::kSkip, "skip", "It said that it does not read such files.", 5,
     false, false, false},
    {CaseResult::kNotTested, "not-tested",
     "The case is about something that it does not claim to do.", 5, false,
     false, false},
    {CaseResult::kPass, "pass", "It does what it must.", 6, true, true, false},
};

}  // namespace

absl::Span<const CaseResultInfo> CaseResults() { return kResults; }

const CaseResultInfo& InfoOf(CaseResult result) {
  const size_t row = static_cast<size_t>(result);
  Assert(row < CaseResults().size() && kResults[row].result == result,
         "the results are in the order of the enum");
  return kResults[row];
}

bool IsUnexpected(CaseResult result) { return InfoOf(result).unexpected; }

std::optional<CaseResult> FindCaseResult(absl::string_view name) {
  for (const CaseResultInfo& info : CaseResults()) {
    if (info.name == name) return info.result;
  }
  return std::nullopt;
}

}  // namespace gguf::readers
