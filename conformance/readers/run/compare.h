// Compare: what a testee says of a file against what it should say.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_COMPARE_H_
#define GGUF_CONFORMANCE_READERS_RUN_COMPARE_H_

#include <string>
#include <vector>

#include "conformance/readers/run/level.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {

struct LevelResult {
  int level = 0;  // 2 metadata, 3 tensor table, 4 bytes, 5 weights
  LevelState state = LevelState::kNotTested;
  Difference difference;  // Of kFail; the first one.
};

// The levels L2 to L5, in order.  Both answers accept the file.  A level that
// is not among the testee's capabilities is not tested, nor is L5 of a file of
// whose weights the testee shows none.
std::vector<LevelResult> Compare(const Answer& expected, const Answer& observed,
                                 const Caps& caps);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_COMPARE_H_
