// Compare: compares the answer of an implementation with the expected one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_COMPARE_H_
#define GGUF_CONFORMANCE_READERS_RUN_COMPARE_H_

#include <string>
#include <vector>

#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/case_result.h"

namespace gguf::readers {

struct LevelResult {
  int level = 0;  // 2 metadata, 3 tensor table, 4 bytes, 5 weights
  LevelState state = LevelState::kNotTested;
  Difference difference;  // For kFail: the first one.
};

// Returns the levels L2 to L5, in order.  Both answers accept the file.  A
// level without the capability is not tested, nor is L5 if the answer has no
// weights.
std::vector<LevelResult> Compare(const Answer& expected, const Answer& observed,
                                 const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_COMPARE_H_
