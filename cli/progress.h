// ProgressLine: how far a long read is, on standard error.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_PROGRESS_H_
#define GGUF_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <mutex>

namespace gguf {

// A line that is rewritten in place: how much, speed, time left.  Shows nothing
// during the first second, and nothing at all when standard error is no
// terminal.  Safe to call from several threads.
class ProgressLine {
 public:
  enum class Unit { kBytes, kCases };
  explicit ProgressLine(Unit unit = Unit::kBytes);
  ~ProgressLine() { Clear(); }

  void Show(uint64_t done, uint64_t total);
  // Until the next Show(): for what is to be written in its place.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  const Unit unit_;
  const bool is_terminal_;
  const Clock::time_point begin_;
  std::mutex mutex_;  // Guards what follows.
  Clock::time_point next_;
  bool shown_ = false;
};

}  // namespace gguf

#endif  // GGUF_CLI_PROGRESS_H_
