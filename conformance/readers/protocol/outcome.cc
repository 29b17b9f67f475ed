// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/protocol/outcome.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf::readers {
namespace {

// By OutcomeKind.
constexpr const char* kKindNames[] = {
    "accept", "reject", "skip",  "memory-error", "ub",       "crash",   "abort",
    "oom",    "hang",   "flood", "exit",         "protocol", "unstable"};
static_assert(std::size(kKindNames) ==
              static_cast<size_t>(OutcomeKind::kUnstable) + 1);

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
  const std::string detail = name != nullptr
                                 ? absl::StrCat("killed by SIG", name)
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

}  // namespace

std::string Outcome::Name() const {
  if (kind == OutcomeKind::kExit) return absl::StrCat("exit:", exit_code);
  return kKindNames[static_cast<size_t>(kind)];
}

bool Outcome::safe() const {
  return kind == OutcomeKind::kAccept || kind == OutcomeKind::kReject ||
         kind == OutcomeKind::kSkip;
}

bool Same(const Outcome& a, const Outcome& b) {
  return a.kind == b.kind && a.exit_code == b.exit_code;
}

Outcome OutcomeOfStatus(int status, absl::string_view stderr_tail) {
  if (WIFSIGNALED(status)) return OutcomeOfSignal(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  if (code == kSanitizerExit) return OutcomeOfReport(stderr_tail);
  return {OutcomeKind::kExit, code,
          absl::StrCat("ended with exit code ", code, " and no verdict")};
}

}  // namespace gguf::readers
