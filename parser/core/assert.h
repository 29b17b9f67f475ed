// Assert: aborts on a bug in ggufcheck itself, in every build.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_ASSERT_H_
#define GGUF_PARSER_CORE_ASSERT_H_

#include <cstdio>
#include <cstdlib>

namespace gguf {

// For invariants that hold whatever bytes the file has.  An invalid file is a
// Diagnostic (diagnostic.h), never an assertion.
inline void Assert(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "ggufcheck: internal error: %s\n", what);
  std::abort();
}

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_ASSERT_H_
