// Reading: the result of one attempt to read a case.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_READING_H_
#define GGUF_CONFORMANCE_READERS_RUN_READING_H_

#include <cstddef>
#include <optional>

#include "conformance/readers/protocol/outcome.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

struct Reading {
  Outcome outcome;
  CaseRecord record;
  // The implementation wrote an unexpected protocol line: this may be about
  // another file.
  bool doubted = false;
  // The case that the same implementation read before.
  std::optional<size_t> before;
};

// Whether two readings agree.
bool Same(const Reading& a, const Reading& b);

// Returns the worse of two different readings, marked as unstable.
Reading Unstable(const Reading& first, const Reading& again);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_READING_H_
