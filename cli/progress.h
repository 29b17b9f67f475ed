// ProgressLine: shows the progress of a long read on standard error.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_PROGRESS_H_
#define GGUF_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <mutex>

namespace gguf {

// A line that is rewritten in place with amount, speed and time left.  Shows
// nothing during the first second, and nothing at all when standard error is
// not a terminal.  Thread-safe.
class ProgressLine {
 public:
  enum class Unit { kBytes, kCases };
  explicit ProgressLine(Unit unit = Unit::kBytes);
  ~ProgressLine() { Clear(); }

  void Show(uint64_t done, uint64_t total);
  // Erases the line until the next Show(), so that other output can be written.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  const Unit unit_;
  const bool is_terminal_;
  const Clock::time_point begin_;
  std::mutex mutex_;  // Guards the members below.
  Clock::time_point next_;
  bool shown_ = false;
};

}  // namespace gguf

#endif  // GGUF_CLI_PROGRESS_H_
