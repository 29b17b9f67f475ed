// Assert: a mistake of our own ends the program, in every build.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_ASSERT_H_
#define GGUF_PARSER_CORE_ASSERT_H_

#include <cstdio>
#include <cstdlib>

namespace gguf {

// For invariants that hold whatever the file says.  A bad file is a Diagnostic
// (diagnostic.h), never an assertion.
inline void Assert(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "ggufcheck: internal error: %s\n", what);
  std::abort();
}

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_ASSERT_H_
