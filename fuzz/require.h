// Require: asserts the property of a fuzz target.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_REQUIRE_H_
#define GGUF_FUZZ_REQUIRE_H_

namespace gguf {

// Aborts at once if the condition is false, so that a fuzzer sees it.
inline void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace gguf

#endif  // GGUF_FUZZ_REQUIRE_H_
