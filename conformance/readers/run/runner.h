// RunCases: a reader over cases of the corpus.
//
// Each file is read once by a testee that lives on.  What ended unsafely is
// read again by a new testee, alone; other failures are, too, by a testee that
// reads them in the reverse order.  Who answers otherwise then is unstable:
// what it does depends on the files before.  But a hang that is none the second
// time was a busy machine's.  A testee that writes unasked may have answered
// for the wrong files; each of them is read again, alone, and that counts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_
#define GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "conformance/readers/protocol/caps.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/language/case.h"

namespace gguf::readers {

// At most so many hangs are tried again: each takes the whole time.
constexpr int kMostHangsAgain = 20;

struct RunOptions {
  Reader reader;
  Caps caps;          // As the reader's greeting has them.
  std::string cases;  // The folder of the cases.
  unsigned jobs = 1;
  WatchLimits limits;  // For one file; its budget may raise the memory.
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(size_t)> progress = [](size_t) {};  // So many were read.
};

struct RunResult {
  std::vector<CaseRecord> records;  // Of the cases that were run, in order.
  std::string incomplete;  // Why not all of them were; empty if they were.
};

RunResult RunCases(const RunOptions& options,
                   const std::vector<corpus::Case>& cases);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_
