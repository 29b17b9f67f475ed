// Runs a reader over cases of the corpus, shows how to reproduce a result, and
// tests an adapter.
//
// RunCases: a long-lived process reads each file once.  Files with an unsafe
// outcome are read again, each by a new process; other failures are read again
// by one process in reverse order.  A different answer means unstable: the
// result depends on the files before.  A hang that does not repeat is
// attributed to a busy machine.  A process that writes unexpected protocol
// lines may have answered for the wrong files; each of them is read again by a
// new process, whose answer counts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_
#define GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

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
  std::string incomplete;           // Why some cases were not run; empty if all were.
};

RunResult RunCases(const RunOptions& options, const std::vector<corpus::Case>& cases);

// Returns the command that runs only this case, with the folder of the cases
// unless it is empty.  It names no path of this machine.
std::string RunCommand(const Reader& reader, const std::string& cases, const corpus::Case& a_case);

// Adds evidence for a case that did not pass: why it matters, its text, its
// bytes around those that were misread, violate a rule or differ from its base,
// and the command that reproduces the result.
void AddEvidence(const corpus::Case& a_case, const std::string& cases, absl::string_view text,
                 const corpus::Image& image, std::string repro, CaseRecord* record);

// Returns lines of 16 bytes: offset, hex, ASCII.
std::string HexDump(absl::string_view bytes, uint64_t offset);

// Returns a shell command that lets the reader read the case without a runner,
// its bytes (for a long file, those around the first finding), and its text.
// NotFound: no such case.
absl::StatusOr<std::string> Repro(const Reader& reader, const std::string& cases,
                                  const std::string& id);

struct SmokeResult {
  int adapter_faults = 0;
  int reader_bugs = 0;
  // The lines written and read; each problem is followed by advice.  Text from
  // the implementation is escaped.
  std::string transcript;
};

// Checks line by line that an adapter conforms to the protocol, before its
// reader is tested, and tells its faults from bugs of the reader.  Sends small
// files: two valid ones, truncated, empty, missing, and with an unusual name. A
// problem with the plain one is the adapter's, because every reader can read
// it, as is a violation of the protocol; any other is the reader's.  Error: the
// reader could not be run.
absl::StatusOr<SmokeResult> RunSmoke(const Reader& reader, const WatchLimits& limits);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_RUNNER_H_
