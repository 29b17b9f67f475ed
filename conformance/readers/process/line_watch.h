// LineWatch: reads the output of a process line by line and enforces limits.
//
// Outcome: how the reading of one file ended, as observed by the runner.  Only
// the runner determines a crash, a hang or excessive memory use; only an
// @reject line of the implementation is a rejection.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_LINE_WATCH_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_LINE_WATCH_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "conformance/readers/process/process.h"

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
  kFlood,      // More output than allowed.
  kException,  // Nobody caught it, in a language that reports that.
  kExit,       // Exited without a verdict.
  kProtocol,   // A line that violates the protocol.
  kUnstable,   // A second attempt had another outcome.
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

// Classifies the status from waitpid() of a process that the runner did not
// kill.  kSanitizerExit marks a sanitizer report; `stderr_tail` only
// distinguishes between kinds of reports, and an uncaught exception from
// another exit.
Outcome OutcomeOfStatus(int status, absl::string_view stderr_tail);

// Sanitizers are configured to exit with this code.
constexpr int kSanitizerExit = 86;

struct WatchLimits {
  absl::Duration time = absl::Seconds(10);
  uint64_t memory = uint64_t{2} << 30;                       // For Process::UsesMoreThan().
  uint64_t output = uint64_t{512} << 20;                     // Bytes of both streams together.
  std::function<bool()> interrupted = [] { return false; };  // By the user.
  // How long a process that hangs may take to write its stack before it is
  // killed.
  absl::Duration stack_time;
};

// Watches one process, and kills it when it exceeds a limit.
class LineWatch {
 public:
  explicit LineWatch(std::unique_ptr<Process> process) : process_(std::move(process)) {}

  // Passes each line of standard output, without its line break, to `take`.
  // Returns nullopt once `take` returns false.  Otherwise returns how the
  // process ended, or why it was killed: kHang, kOutOfMemory or kFlood.  A line
  // longer than twice kMaxLine is also a kFlood, an interruption a kHang.
  std::optional<Outcome> Read(const WatchLimits& limits,
                              absl::FunctionRef<bool(absl::string_view)> take);

  // Return the next buffered line; TakeWritten() also reads pending output.
  std::optional<std::string> TakeLine();
  std::optional<std::string> TakeWritten();

  Process& process() { return *process_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Lets a process that hangs write its stack to standard error.
  void AskForStack(absl::Duration time);

  // Returns the limit that is exceeded, if any.
  std::optional<Outcome> Breach(const WatchLimits& limits, absl::Duration elapsed,
                                uint64_t output) const;

  std::unique_ptr<Process> process_;
  std::string pending_;  // Bytes read; those from begin_ on are not passed on.
  size_t begin_ = 0;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_LINE_WATCH_H_
