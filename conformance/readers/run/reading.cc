// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/reading.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/readers/run/case_result.h"
#include "conformance/readers/run/level.h"

namespace gguf::readers {
namespace {

std::string Text(const Reading& reading) {
  return absl::StrCat(reading.outcome.Name(), " (",
                      InfoOf(reading.record.result).name, ")");
}

}  // namespace

bool Same(const Reading& a, const Reading& b) {
  return Same(a.outcome, b.outcome) && a.record.result == b.record.result &&
         a.record.levels == b.record.levels;
}

Reading Unstable(const Reading& first, const Reading& again) {
  const std::string detail =
      absl::StrCat("first ", Text(first), ", then ", Text(again));
  // The worse one has the evidence; CaseResult begins with the worst.
  Reading unstable = again.record.result < first.record.result ? again : first;
  unstable.outcome = {OutcomeKind::kUnstable, 0, detail};
  unstable.record.outcome = unstable.outcome.Name();
  unstable.record.result = CaseResult::kUnsafe;
  unstable.record.levels = {};
  unstable.record.levels[0] = LevelState::kFail;
  unstable.record.difference = {"", "the same result again", detail,
                                LevelName(0)};
  return unstable;
}

}  // namespace gguf::readers
