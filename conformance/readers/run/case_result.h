// CaseResult: the result of one case for a reader; LevelState: that of a level,
// L0 to L5.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_

#include <cstddef>
#include <string>

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

enum class LevelState { kNotTested, kFail, kPass };
inline constexpr size_t kLevels = 6;  // L0 to L5.

// Return the name and the title of a level: "L0", "safe".
const char* LevelName(size_t level);
const char* LevelTitle(size_t level);

// The names in logs: "false-accept"; "pass", "fail", "not-tested".
const char* JsonName(CaseResult result);
const char* JsonName(LevelState state);
bool FromJsonName(absl::string_view name, CaseResult* result);
bool FromJsonName(absl::string_view name, LevelState* state);

// A difference between expected and observed contents.  Texts are short, and
// escaped if they come from a file.
struct Difference {
  std::string path;  // "tensor[w].offset".
  std::string expected;
  std::string observed;
  std::string level;  // "L3".
  std::string entry;  // The key or the name; not escaped, and not in logs.
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_RESULT_H_
