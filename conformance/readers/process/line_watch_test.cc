// Outcomes by status.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/line_watch.h"

#include <signal.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

// Statuses of waitpid() on Linux.
constexpr int Exited(int code) { return code << 8; }
constexpr int Killed(int signal) { return signal; }

TEST(OutcomeTest, ByStatus) {
  const struct {
    int status;
    const char* name;
  } rows[] = {
      {Exited(0), "exit:0"},      {Exited(1), "exit:1"},
      {Exited(255), "exit:255"},  {Killed(SIGABRT), "abort"},
      {Killed(SIGKILL), "oom"},   {Killed(SIGSEGV), "crash"},
      {Killed(SIGBUS), "crash"},  {Killed(SIGFPE), "crash"},
      {Killed(SIGTERM), "crash"}, {Exited(kSanitizerExit), "memory-error"},
  };
  for (const auto& [status, name] : rows) {
    const Outcome outcome = OutcomeOfStatus(status, "");
    EXPECT_EQ(outcome.Name(), name);
    EXPECT_FALSE(outcome.safe()) << name;
  }
}

TEST(OutcomeTest, TheSummaryOfASanitizerGivesTheKind) {
  const struct {
    const char* summary;
    const char* name;
  } rows[] = {
      {"AddressSanitizer: heap-buffer-overflow a.c:1:2 in f", "memory-error"},
      {"AddressSanitizer: heap-use-after-free a.c:1:2 in f", "memory-error"},
      {"AddressSanitizer: SEGV a.c:1:2 in f", "crash"},
      {"AddressSanitizer: stack-overflow a.c:1:2 in f", "crash"},
      {"AddressSanitizer: out-of-memory a.c:1:2 in f", "oom"},
      {"AddressSanitizer: allocation-size-too-big a.c:1:2 in f", "oom"},
      {"MemorySanitizer: use-of-uninitialized-value a.c", "memory-error"},
      {"UndefinedBehaviorSanitizer: undefined-behavior a.c:1:2", "ub"},
  };
  for (const auto& [summary, name] : rows) {
    const std::string text =
        absl::StrCat("==1==ERROR: ...\nSUMMARY: ", summary, "\n==1==ABORTING\n");
    const Outcome outcome = OutcomeOfStatus(Exited(kSanitizerExit), text);
    EXPECT_EQ(outcome.Name(), name);
    EXPECT_EQ(outcome.detail, summary);
  }
}

TEST(OutcomeTest, AnUncaughtExceptionIsNoExit) {
  const char* const traceback =
      "Traceback (most recent call last):\n  File \"a\", line 1, in b\nKeyError: \x1b[1m\n";
  const Outcome outcome = OutcomeOfStatus(Exited(1), traceback);
  EXPECT_EQ(outcome.Name(), "exception");
  EXPECT_FALSE(outcome.safe());
  EXPECT_EQ(outcome.detail, "KeyError: \\x1b[1m");
  EXPECT_EQ(OutcomeOfStatus(Exited(0), traceback).Name(), "exit:0");
  EXPECT_EQ(OutcomeOfStatus(Exited(1), "KeyError: 1\n").Name(), "exit:1");
}

TEST(OutcomeTest, StderrAloneDeterminesNothing) {
  EXPECT_EQ(OutcomeOfStatus(Exited(1), "SUMMARY: AddressSanitizer: SEGV").Name(), "exit:1");
}

}  // namespace

}  // namespace gguf::readers
