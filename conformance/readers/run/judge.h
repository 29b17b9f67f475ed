// Judge: what an observation of a reader says of it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_
#define GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_

#include <array>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "conformance/readers/protocol/caps.h"
#include "conformance/readers/run/case_result.h"
#include "conformance/readers/run/level.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/process/session.h"
#include "corpus/language/case.h"

namespace gguf::readers {

struct Judgement {
  CaseResult result = CaseResult::kNotTested;
  std::array<LevelState, kLevels> levels = {};
  std::optional<Difference> difference;  // The first.
  std::string expected;                  // What should have been, in words.
};

// `answer` makes what the reader should say of the file's contents; it is
// called when the reader rightly accepts the file and shows any.
Judgement Judge(const corpus::Case& a_case, const Caps& caps,
                const Observation& seen, absl::FunctionRef<Answer()> answer);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_JUDGE_H_
