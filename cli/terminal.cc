// Writes to the terminal, catches SIGINT, and draws the line of progress.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/base/text.h"

namespace gguf {
namespace {

using std::chrono::duration;

// The first time that the line is shown, and the time between updates.
constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(200);
constexpr auto kRecent = std::chrono::seconds(10);

// The line is not wrapped; the last column stays free.
size_t MostColumns() {
  winsize size = {};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col - 1 : 79;
}

std::string Amount(ProgressLine::Unit unit, uint64_t done, uint64_t total, double rate) {
  switch (unit) {
    case ProgressLine::Unit::kBytes:
      return absl::StrFormat("%.1f of %.1f GB  %.1f GB/s", done / 1e9, total / 1e9, rate / 1e9);
    case ProgressLine::Unit::kFiles:
      return absl::StrCat(done, " of ", total, " files");
    case ProgressLine::Unit::kCases:
      return absl::StrCat(done, " of ", total, " cases");
    case ProgressLine::Unit::kSeconds:
      return absl::StrCat(done, " of ", total, " s");
  }
  return "";
}

}  // namespace

void RecentRate::Add(ProgressClock::time_point now, uint64_t amount) {
  samples_.emplace_back(now, amount);
  while (samples_.size() > 2 && now - samples_[1].first >= kRecent) {
    samples_.pop_front();
  }
}

double RecentRate::PerSecond() const {
  const auto& [begin, before] = samples_.front();
  const auto& [end, after] = samples_.back();
  const double seconds = duration<double>(end - begin).count();
  return seconds > 0 ? (after - before) / seconds : 0;
}

std::string DurationText(double seconds) {
  if (seconds < 120) return absl::StrFormat("%.0f s", seconds);
  if (seconds < 120 * 60) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.0f h", seconds / 3600);
}

ProgressLine::ProgressLine(Unit unit)
    : unit_(unit),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      next_(ProgressClock::now() + kFirst),
      rate_(ProgressClock::now()) {}

void ProgressLine::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void ProgressLine::Show(uint64_t done, uint64_t total, absl::string_view before) {
  if (!is_terminal_ || done == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const ProgressClock::time_point now = ProgressClock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  rate_.Add(now, done);
  const double rate = rate_.PerSecond();
  std::string line = absl::StrFormat("%3.0f%%  ", 100.0 * done / total);
  if (!before.empty()) absl::StrAppend(&line, before, "  ");
  absl::StrAppend(&line, Amount(unit_, done, total, rate));
  if (rate > 0) {
    absl::StrAppend(&line, "  ", DurationText((total - done) / rate), " left");
  }
  line.resize(std::min(line.size(), MostColumns()));
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  shown_ = true;
}

namespace {

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

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND;  // No SA_RESTART, to interrupt blocked reads.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted; }

}  // namespace gguf
