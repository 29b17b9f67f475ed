// The levels at which a reader is judged, L0 to L5.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_LEVEL_H_
#define GGUF_CONFORMANCE_READERS_RUN_LEVEL_H_

#include <cstddef>
#include <string>

namespace gguf::readers {

enum class LevelState { kNotTested, kFail, kPass };
inline constexpr size_t kLevels = 6;  // L0 to L5.

// "L0" and what it asks, in a word or two: "safe".
const char* LevelName(size_t level);
const char* LevelTitle(size_t level);

// "pass", "fail" or "not-tested".
const char* LevelStateName(LevelState state);

// The first difference between what was expected and observed.
// Texts are short, and escaped where they come from a file.
struct Difference {
  std::string path;  // "tensor[w].offset".
  std::string expected;
  std::string observed;
  std::string level;  // "L3".
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_LEVEL_H_
