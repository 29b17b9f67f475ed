// Judge: derives levels and result from an observation of a reader.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_
#define GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_

#include <array>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/caps.h"
#include "conformance/readers/run/case_result.h"
#include "corpus/language/case.h"

namespace gguf::readers {

struct Judgement {
  CaseResult result = CaseResult::kNotTested;
  std::array<LevelState, kLevels> levels = {};
  std::optional<Difference> difference;  // The first one.
  std::string expected;                  // The expected behaviour, in words.
};

// The contents are compared if the reader correctly accepts the file and
// reports contents, and if the case states them.  Error: the case cannot be
// assembled.
absl::StatusOr<Judgement> Judge(const corpus::Case& a_case, const Caps& caps,
                                const Observation& seen);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_
