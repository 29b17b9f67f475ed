// Rewrites a line in place.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

namespace gguf {
namespace {

constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(200);

}  // namespace

ProgressLine::ProgressLine(Unit unit)
    : unit_(unit),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      begin_(Clock::now()),
      next_(begin_ + kFirst) {}

void ProgressLine::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void ProgressLine::Show(uint64_t done, uint64_t total) {
  if (!is_terminal_ || done == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  const std::chrono::duration<double> spent = now - begin_;
  const double speed = done / spent.count();
  std::fprintf(stderr, "\r%3.0f%%  ", 100.0 * done / total);
  if (unit_ == Unit::kBytes) {
    std::fprintf(stderr, "%.1f of %.1f GB  %.1f GB/s", done / 1e9, total / 1e9,
                 speed / 1e9);
  } else {
    std::fprintf(stderr, "%.0f of %.0f cases", 1.0 * done, 1.0 * total);
  }
  std::fprintf(stderr, "  %.0f s left\x1b[K", (total - done) / speed);
}

}  // namespace gguf
