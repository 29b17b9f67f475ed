// The levels at which a reader is scored, L0 to L5.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_LEVEL_H_
#define GGUF_CONFORMANCE_READERS_RUN_LEVEL_H_

#include <cstddef>
#include <string>

namespace gguf::readers {

enum class LevelState { kNotTested, kFail, kPass };
inline constexpr size_t kLevels = 6;  // L0 to L5.

// Return the name and the title of a level: "L0", "safe".
const char* LevelName(size_t level);
const char* LevelTitle(size_t level);

// Returns "pass", "fail" or "not-tested".
const char* LevelStateName(LevelState state);

// A difference between expected and observed contents.  Texts are short, and
// escaped if they come from a file.
struct Difference {
  std::string path;  // "tensor[w].offset".
  std::string expected;
  std::string observed;
  std::string level;  // "L3".
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_LEVEL_H_
