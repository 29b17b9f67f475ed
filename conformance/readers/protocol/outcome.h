// Outcome: how the reading of one file ended, as the runner saw it.
//
// Only the runner decides that a testee crashed, hung or used too much memory;
// only the testee's own line says that it rejected the file.
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
  kMemoryError,  // A sanitizer found one.
  kUndefined,    // Undefined behaviour, found by a sanitizer.
  kCrash,        // Ended by a signal that is not one of the following.
  kAbort,        // SIGABRT: a failed assertion, an uncaught exception.
  kOutOfMemory,
  kHang,
  kFlood,     // More output than there may be.
  kExit,      // Ended by itself, without a verdict.
  kProtocol,  // A line that should not be there.
  kUnstable,  // Another outcome when it was asked again.
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kSkip;
  int exit_code = 0;   // Of kExit.
  std::string detail;  // What was seen, for people: "killed by SIGSEGV".

  // As logs have it: "memory-error", "exit:3".
  std::string Name() const;

  // Whether the testee lived on and said what it did: accept, reject or skip.
  bool safe() const;
};

// Whether two outcomes are one: details may differ.
bool Same(const Outcome& a, const Outcome& b);

// How a process ended, by a status of waitpid(), that nobody killed.
// `stderr_tail` is looked at only to tell one sanitizer's report from another;
// that there is one, kSanitizerExit says.
Outcome OutcomeOfStatus(int status, absl::string_view stderr_tail);

// Sanitizers are told to end the process with this exit code.
constexpr int kSanitizerExit = 86;

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROTOCOL_OUTCOME_H_
