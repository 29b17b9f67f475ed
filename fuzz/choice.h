// Choice: settings for one input of a fuzz target.
//
// They depend on the size and the last bytes of the input.  So seeds need no
// bytes for them, and most mutations keep them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_CHOICE_H_
#define GGUF_FUZZ_CHOICE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gguf {

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

}  // namespace gguf

#endif  // GGUF_FUZZ_CHOICE_H_
