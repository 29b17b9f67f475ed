// RunCases: runs a reader over cases of the corpus.
//
// A long-lived process reads each file once.  Files with an unsafe outcome are
// read again, each by a new process; other failures are read again by one
// process in reverse order.  A different answer means unstable: the result
// depends on the files before.  A hang that does not repeat is attributed to a
// busy machine.  A process that writes unexpected protocol lines may have
// answered for the wrong files; each of them is read again by a new process,
// whose answer counts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_
#define GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/caps.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/language/case.h"

namespace gguf::readers {

// The maximum number of hangs to try again, because each takes the whole
// timeout.
constexpr int kMostHangsAgain = 20;

struct RunOptions {
  Reader reader;
  Caps caps;          // From the reader's greeting.
  std::string cases;  // The folder of the cases.
  // The folder in commands that reproduce a result; empty: these need none.
  std::string named_cases;
  unsigned jobs = 1;
  WatchLimits limits;  // Per file; its budget may raise the memory.
  // Called by several threads.
  std::function<void(size_t)> progress = [](size_t) {};  // Files read.
  // Gets the first result of each case, which is not confirmed yet.
  std::function<void(const CaseRecord&)> first = [](const CaseRecord&) {};
};

struct RunResult {
  std::vector<CaseRecord> records;  // Of the cases run, in order.
  std::string incomplete;  // Why some cases were not run; empty if all were.
};

RunResult RunCases(const RunOptions& options,
                   const std::vector<corpus::Case>& cases);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_
