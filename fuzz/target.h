// What fuzz targets share: properties, and settings and files made from an input.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_TARGET_H_
#define GGUF_FUZZ_TARGET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace gguf {

// Require: asserts the property of a fuzz target.

// Aborts at once if the condition is false, so that a fuzzer sees it.
inline void Require(bool holds) {
  if (!holds) __builtin_trap();
}

// Choice: settings for one input of a fuzz target.
//
// They depend on the size and the last bytes of the input.  So seeds need no
// bytes for them, and most mutations keep them.
class Choice {
 public:
  Choice(const uint8_t* data, size_t size) : state_(size + 1) {
    for (size_t i = size - std::min<size_t>(size, 8); i < size; ++i) {
      state_ = (state_ ^ data[i]) * 0x100000001B3;
    }
  }

  // Returns the next pseudo-random number below `n`.
  size_t Below(size_t n) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return (state_ >> 33) % n;
  }
  // Returns true once in `n` times.
  bool OneIn(size_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

// A few files as one input of a fuzz target.

inline constexpr absl::string_view kBetweenFiles = "\n==== next file ====\n";
inline constexpr size_t kMostFiles = 4;

inline std::vector<std::string> SplitFiles(absl::string_view input) {
  return absl::StrSplit(input, absl::MaxSplits(kBetweenFiles, kMostFiles - 1));
}

inline std::string JoinFiles(const std::vector<std::string>& files) {
  return absl::StrJoin(files, kBetweenFiles);
}

}  // namespace gguf

#endif  // GGUF_FUZZ_TARGET_H_
