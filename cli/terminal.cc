// Queries the terminal, and rewrites a line of it in place.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// The first time a line of progress is shown, and the time between updates.
constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(200);

std::atomic<bool> interrupted{false};

void OnInterrupt(int) { interrupted = true; }

}  // namespace

size_t TerminalWidth() {
  if (!isatty(STDOUT_FILENO)) return 0;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return 80;
  }
  return size.ws_col;
}

bool UseColor(absl::string_view color) {
  if (color != "auto") return color == "always";
  const auto is_set = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  };
  if (is_set("NO_COLOR")) return false;
  return isatty(STDOUT_FILENO) || is_set("FORCE_COLOR");
}

bool Print(absl::string_view text) {
  const auto file = OutputFile::StandardOutput();
  file->out() << text;
  return Finish(file.get());
}

void PrintError(absl::string_view message) {
  const std::string line = absl::StrCat("ggufcheck: ", message, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int FailWith(const absl::Status& status) {
  PrintError(Visible(status.message()));
  return absl::IsInvalidArgument(status) ? kUsage : kCouldNotRun;
}

bool Finish(OutputFile* file) {
  const absl::Status status = file->Close();
  if (!status.ok() && !file->reader_left()) {
    PrintError(Visible(status.message()));
  }
  return status.ok();
}

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

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND;  // No SA_RESTART, to interrupt blocked reads.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted; }

}  // namespace gguf
