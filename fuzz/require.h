// Require: what a fuzz target's property asks for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_REQUIRE_H_
#define GGUF_FUZZ_REQUIRE_H_

namespace gguf {

// Ends the program at once, for a fuzzer to see, when it does not hold.
inline void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace gguf

#endif  // GGUF_FUZZ_REQUIRE_H_
