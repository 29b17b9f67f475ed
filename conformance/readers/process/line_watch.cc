// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/line_watch.h"

#include "absl/strings/str_cat.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {
namespace {

constexpr int kTickMilliseconds = 10;  // How often limits are checked.

std::string Mebibytes(uint64_t bytes) {
  return absl::StrCat(bytes >> 20, " MiB");
}

}  // namespace

std::optional<Outcome> LineWatch::Read(
    const WatchLimits& limits,
    absl::FunctionRef<bool(absl::string_view)> take) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point looked = begin;
  uint64_t output = 0;
  for (;;) {
    while (const std::optional<std::string> line = TakeLine()) {
      if (!take(*line)) return std::nullopt;
    }
    const size_t before = pending_.size();
    const Process::Event event = process_->Wait(kTickMilliseconds, &pending_);
    output += pending_.size() - before;
    if (event == Process::Event::kEnded) {
      return OutcomeOfStatus(process_->status(), process_->error_tail());
    }
    const Clock::time_point now = Clock::now();
    if (now - looked < std::chrono::milliseconds(kTickMilliseconds)) continue;
    looked = now;
    const auto breach = Breach(limits, absl::FromChrono(now - begin),
                               output + process_->error_bytes());
    if (!breach) continue;
    process_->Kill();
    return breach;
  }
}

std::optional<std::string> LineWatch::TakeWritten() {
  for (;;) {
    if (std::optional<std::string> line = TakeLine()) return line;
    if (process_->Wait(0, &pending_) != Process::Event::kOutput) return {};
    if (pending_.size() > 2 * kMaxLine) return {};
  }
}

std::optional<std::string> LineWatch::TakeLine() {
  const size_t end = pending_.find('\n', begin_);
  if (end == std::string::npos) {
    pending_.erase(0, begin_);
    begin_ = 0;
    return std::nullopt;
  }
  std::string line = pending_.substr(begin_, end - begin_);
  begin_ = end + 1;
  return line;
}

std::optional<Outcome> LineWatch::Breach(const WatchLimits& limits,
                                         absl::Duration elapsed,
                                         uint64_t output) const {
  if (output > limits.output) {
    return Outcome{OutcomeKind::kFlood, 0,
                   absl::StrCat("wrote more than ", Mebibytes(limits.output))};
  }
  if (pending_.size() > 2 * kMaxLine) {
    return Outcome{
        OutcomeKind::kFlood, 0,
        absl::StrCat("wrote a line of more than ", Mebibytes(2 * kMaxLine))};
  }
  if (process_->UsesMoreThan(limits.memory)) {
    return Outcome{OutcomeKind::kOutOfMemory, 0,
                   absl::StrCat("used more than ", Mebibytes(limits.memory),
                                " of memory")};
  }
  if (limits.interrupted()) {
    return Outcome{OutcomeKind::kHang, 0, "interrupted"};
  }
  if (elapsed > limits.time) {
    return Outcome{
        OutcomeKind::kHang, 0,
        absl::StrCat("no verdict within ", absl::FormatDuration(limits.time))};
  }
  return std::nullopt;
}

}  // namespace gguf::readers
