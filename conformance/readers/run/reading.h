// Reading: what came of one reading of a case; a second one may differ.
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
  // The testee wrote something unasked: this may be about another file.
  bool doubted = false;
  // The case that the same testee was asked about before.
  std::optional<size_t> before;
};

// Whether the reader did the same twice.
bool Same(const Reading& a, const Reading& b);

// Of two readings that are not the same: the worse one, as unstable.
Reading Unstable(const Reading& first, const Reading& again);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_READING_H_
