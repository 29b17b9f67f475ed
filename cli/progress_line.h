// ProgressLine: how far a long command is.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_PROGRESS_LINE_H_
#define GGUF_CLI_PROGRESS_LINE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace gguf {

using ProgressClock = std::chrono::steady_clock;

// The rate of an amount that grows, over the last ten seconds: what is left
// often goes at another rate than what came first.
class RecentRate {
 public:
  explicit RecentRate(ProgressClock::time_point begin) { Add(begin, 0); }

  void Add(ProgressClock::time_point now, uint64_t amount);
  // Returns the growth per second, which is 0 before the second Add().
  double PerSecond() const;

 private:
  std::deque<std::pair<ProgressClock::time_point, uint64_t>> samples_;
};

// Returns "45 s", "12 min" or "7 h".
std::string DurationText(double seconds);

// A line that is rewritten in place with amount, rate and time left, and is cut
// to the width of the terminal.  Shows nothing during the first second, and
// nothing at all when standard error is not a terminal.  Thread-safe.
class ProgressLine {
 public:
  enum class Unit { kBytes, kFiles, kCases };
  explicit ProgressLine(Unit unit = Unit::kBytes);
  ~ProgressLine() { Clear(); }

  // `before` is text before the amount, such as "3 of 7 files".
  void Show(uint64_t done, uint64_t total, absl::string_view before = "");
  // Erases the line until the next Show(), so that other output can be written.
  void Clear();

 private:
  const Unit unit_;
  const bool is_terminal_;
  std::mutex mutex_;  // Guards the members below.
  ProgressClock::time_point next_;
  RecentRate rate_;
  bool shown_ = false;
};

}  // namespace gguf

#endif  // GGUF_CLI_PROGRESS_LINE_H_
