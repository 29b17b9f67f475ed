// LineWatch: a process's output as lines, until it ends or must be ended.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_LINE_WATCH_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_LINE_WATCH_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "conformance/readers/protocol/outcome.h"
#include "conformance/readers/process/process.h"

namespace gguf::readers {

struct WatchLimits {
  absl::Duration time = absl::Seconds(10);
  uint64_t memory = uint64_t{2} << 30;    // As Process::MemoryInUse() has it.
  uint64_t output = uint64_t{512} << 20;  // In bytes, of both streams.
};

class LineWatch {
 public:
  explicit LineWatch(std::unique_ptr<Process> process)
      : process_(std::move(process)) {}

  // Hands over each line of standard output, without its line break, until
  // `take` returns false; then returns nothing.  Otherwise returns how the
  // process ended, or why it was killed: kHang, kOutOfMemory, or kFlood, which
  // a line of more than twice the protocol's longest is, too.
  std::optional<Outcome> Read(const WatchLimits& limits,
                              absl::FunctionRef<bool(absl::string_view)> take);

  // The next line that was read already; that was written already.
  std::optional<std::string> TakeLine();
  std::optional<std::string> TakeWritten();

  Process& process() { return *process_; }

 private:
  using Clock = std::chrono::steady_clock;

  // What limit is exceeded by now.
  std::optional<Outcome> Breach(const WatchLimits& limits,
                                absl::Duration elapsed, uint64_t output) const;

  std::unique_ptr<Process> process_;
  std::string pending_;  // Read; from begin_ on not yet handed over.
  size_t begin_ = 0;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_LINE_WATCH_H_
