// Enforces limits, and classifies how processes end.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/line_watch.h"

#include <signal.h>
#include <string.h>

#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/readers/process/failure.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {
namespace {

// By OutcomeKind.
constexpr const char* kKindNames[] = {"accept",    "reject", "skip",     "memory-error", "ub",
                                      "crash",     "abort",  "oom",      "hang",         "flood",
                                      "exception", "exit",   "protocol", "unstable"};
static_assert(std::size(kKindNames) == static_cast<size_t>(OutcomeKind::kUnstable) + 1);

// Outcomes of sanitizer reports, by the word after the sanitizer's name in the
// summary.  All others are memory errors.
constexpr std::pair<const char*, OutcomeKind> kReportKinds[] = {
    {"SEGV", OutcomeKind::kCrash},
    {"BUS", OutcomeKind::kCrash},
    {"FPE", OutcomeKind::kCrash},
    {"ILL", OutcomeKind::kCrash},
    {"ABRT", OutcomeKind::kAbort},
    {"stack-overflow", OutcomeKind::kCrash},
    {"out-of-memory", OutcomeKind::kOutOfMemory},
    {"allocation-size-too-big", OutcomeKind::kOutOfMemory},
    {"calloc-overflow", OutcomeKind::kOutOfMemory},
    {"rss-limit-exceeded", OutcomeKind::kOutOfMemory},
};

OutcomeKind KindOfReport(absl::string_view summary) {
  if (absl::StartsWith(summary, "UndefinedBehaviorSanitizer")) {
    return OutcomeKind::kUndefined;
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(summary, absl::MaxSplits(": ", 1));
  for (const auto& [word, kind] : kReportKinds) {
    if (absl::StartsWith(parts.second, word)) return kind;
  }
  return OutcomeKind::kMemoryError;
}

// Parses the sanitizer's last line: "SUMMARY: AddressSanitizer: SEGV a.c:3 in
// main".
Outcome OutcomeOfReport(absl::string_view stderr_tail) {
  constexpr absl::string_view kSummary = "SUMMARY: ";
  absl::string_view summary = "sanitizer report without a summary";
  for (absl::string_view line : absl::StrSplit(stderr_tail, '\n')) {
    if (absl::ConsumePrefix(&line, kSummary)) summary = line;
  }
  return {KindOfReport(summary), 0, std::string(summary)};
}

Outcome OutcomeOfSignal(int signal) {
  const char* const name = sigabbrev_np(signal);
  const std::string detail = name != nullptr ? absl::StrCat("killed by SIG", name)
                                             : absl::StrCat("killed by signal ", signal);
  switch (signal) {
    case SIGABRT:
      return {OutcomeKind::kAbort, 0, detail};
    case SIGKILL:  // The runner did not send it: the kernel ran out of memory.
      return {OutcomeKind::kOutOfMemory, 0, detail};
    default:
      return {OutcomeKind::kCrash, 0, detail};
  }
}

constexpr int kTickMilliseconds = 10;  // How often limits are checked.

std::string Mebibytes(uint64_t bytes) { return absl::StrCat(bytes >> 20, " MiB"); }

}  // namespace

std::string Outcome::Name() const {
  if (kind == OutcomeKind::kExit) return absl::StrCat("exit:", exit_code);
  return kKindNames[static_cast<size_t>(kind)];
}

bool Outcome::safe() const {
  return kind == OutcomeKind::kAccept || kind == OutcomeKind::kReject || kind == OutcomeKind::kSkip;
}

Outcome OutcomeOfStatus(int status, absl::string_view stderr_tail) {
  if (WIFSIGNALED(status)) return OutcomeOfSignal(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (code == kSanitizerExit) return OutcomeOfReport(stderr_tail);
  const Failure failure = FailureOf(stderr_tail);
  if (code != 0 && failure.uncaught) {
    constexpr size_t kShown = 200;
    const std::string detail = absl::StrCat(failure.what, ": ", failure.message);
    return {OutcomeKind::kException, code, Escape(detail, kShown)};
  }
  return {OutcomeKind::kExit, code, absl::StrCat("ended with exit code ", code, " and no verdict")};
}

std::optional<Outcome> LineWatch::Read(const WatchLimits& limits,
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
    const auto breach =
        Breach(limits, absl::FromChrono(now - begin), output + process_->error_bytes());
    if (!breach) continue;
    if (breach->kind == OutcomeKind::kHang) AskForStack(limits.stack_time);
    process_->Kill();
    return breach;
  }
}

void LineWatch::AskForStack(absl::Duration time) {
  if (time <= absl::ZeroDuration()) return;
  process_->Abort();
  const Clock::time_point end = Clock::now() + absl::ToChronoNanoseconds(time);
  std::string output;
  while (Clock::now() < end &&
         process_->Wait(kTickMilliseconds, &output) != Process::Event::kEnded) {
    output.clear();
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

std::optional<Outcome> LineWatch::Breach(const WatchLimits& limits, absl::Duration elapsed,
                                         uint64_t output) const {
  if (output > limits.output) {
    return Outcome{OutcomeKind::kFlood, 0,
                   absl::StrCat("wrote more than ", Mebibytes(limits.output))};
  }
  if (pending_.size() > 2 * kMaxLine) {
    return Outcome{OutcomeKind::kFlood, 0,
                   absl::StrCat("wrote a line of more than ", Mebibytes(2 * kMaxLine))};
  }
  if (process_->UsesMoreThan(limits.memory)) {
    return Outcome{OutcomeKind::kOutOfMemory, 0,
                   absl::StrCat("used more than ", Mebibytes(limits.memory), " of memory")};
  }
  if (limits.interrupted()) {
    return Outcome{OutcomeKind::kHang, 0, "interrupted"};
  }
  if (elapsed > limits.time) {
    return Outcome{OutcomeKind::kHang, 0,
                   absl::StrCat("no verdict within ", absl::FormatDuration(limits.time))};
  }
  return std::nullopt;
}

}  // namespace gguf::readers
