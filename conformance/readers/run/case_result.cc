// The tables of results and levels.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/case_result.h"

#include <algorithm>
#include <iterator>

#include "parser/core/assert.h"

namespace gguf::readers {
namespace {

constexpr CaseResultInfo kResults[] = {
    {CaseResult::kUnsafe, "unsafe",
     "It crashed, hung, ran out of memory, wrote too much output or violated "
     "the protocol.",
     0, true, false, true},
    {CaseResult::kWrongValues, "wrong-values",
     "It correctly accepted the file, but misread its contents.", 1, true,
     false, true},
    {CaseResult::kFalseAccept, "false-accept",
     "It accepted a file that must be rejected.", 1, true, false, true},
    {CaseResult::kFalseReject, "false-reject",
     "It rejected a file that must be accepted.", 1, true, false, true},
    {CaseResult::kNonStrict, "non-strict",
     "It does not do what a reader should do, but need not do.", 2, false,
     false, false},
    {CaseResult::kXpass, "xpass",
     "It passes, although it is listed as a known failure.", 2, true, true,
     true},
    {CaseResult::kXfail, "xfail", "It fails, and is listed as a known failure.",
     3, true, false, false},
    {CaseResult::kInfo, "info",
     "Accepting the file is implementation-defined; the outcome is not scored.",
     4, false, false, false},
    {CaseResult::kSkip, "skip", "It reported that it does not read such files.",
     5, false, false, false},
    {CaseResult::kNotTested, "not-tested",
     "The case needs a capability that it does not announce.", 5, false, false,
     false},
    {CaseResult::kPass, "pass", "It behaves as required.", 6, true, true,
     false},
};

constexpr struct {
  const char* name;
  const char* title;
} kLevelRows[kLevels] = {{"L0", "safe"},     {"L1", "verdict"},
                         {"L2", "metadata"}, {"L3", "tensor table"},
                         {"L4", "bytes"},    {"L5", "weights"}};

constexpr const char* kStates[] = {"not-tested", "fail", "pass"};

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
const char* JsonName(LevelState state) {
  return kStates[static_cast<size_t>(state)];
}

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

}  // namespace gguf::readers
