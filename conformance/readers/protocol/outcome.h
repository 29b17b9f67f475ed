// Outcome: how the reading of one file ended, as observed by the runner.
//
// Only the runner determines a crash, a hang or excessive memory use; only an
// @reject line of the implementation is a rejection.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROTOCOL_OUTCOME_H_
#define GGUF_CONFORMANCE_READERS_PROTOCOL_OUTCOME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf::readers {

enum class OutcomeKind {
  kAccept,
  kReject,
  kSkip,
  kMemoryError,  // Detected by a sanitizer.
  kUndefined,    // Undefined behaviour, detected by a sanitizer.
  kCrash,        // Killed by a signal other than the following.
  kAbort,        // SIGABRT: a failed assertion, an uncaught exception.
  kOutOfMemory,
  kHang,
  kFlood,     // More output than allowed.
  kExit,      // Exited without a verdict.
  kProtocol,  // A line that violates the protocol.
  kUnstable,  // A second attempt had another outcome.
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kSkip;
  int exit_code = 0;   // For kExit.
  std::string detail;  // For humans: "killed by SIGSEGV".

  // Returns the name used in logs: "memory-error", "exit:3".
  std::string Name() const;

  // Whether the implementation survived and gave a verdict: accept, reject,
  // skip.
  bool safe() const;
};

// Whether two outcomes are equal, apart from their details.
bool Same(const Outcome& a, const Outcome& b);

// Classifies the status from waitpid() of a process that the runner did not
// kill.  kSanitizerExit marks a sanitizer report; `stderr_tail` only
// distinguishes between kinds of reports.
Outcome OutcomeOfStatus(int status, absl::string_view stderr_tail);

// Sanitizers are configured to exit with this code.
constexpr int kSanitizerExit = 86;

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_OUTCOME_H_
