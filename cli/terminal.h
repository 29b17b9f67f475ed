// Standard output, standard error, and interruptions by the user; and ProgressLine, how far a long
// command is.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_TERMINAL_H_
#define GGUF_CLI_TERMINAL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"

namespace gguf {

// ProgressLine: how far a long command is.

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
  enum class Unit { kBytes, kFiles, kCases, kSeconds };
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

// Standard output, standard error, and interruptions by the user.

// The exit codes of all subcommands.
enum ExitCodes {
  kOk = 0,
  kFindings = 1,    // The input has findings.
  kUsage = 2,       // Invalid command line.
  kCouldNotRun = 3  // The work did not complete.
};

// Returns the width of the terminal on standard output; 0 if it is not one.
size_t TerminalWidth();

// Returns whether text on standard output has colours, by the value of --color:
// for "auto" where FORCE_COLOR is set, and on a terminal without NO_COLOR.
bool UseColor(absl::string_view color = "auto");

// Writes to standard output.  Returns as Finish() does.
bool Print(absl::string_view text);

// Writes a line to standard error.
void PrintError(absl::string_view message);

// Prints the error.  Returns the exit code: kUsage for InvalidArgument (an
// invalid command line or configuration), otherwise kCouldNotRun.
int FailWith(const absl::Status& status);

// Closes a file.  Returns false when it could not be written.  Prints the error
// unless it is only that the reader of standard output has gone.
bool Finish(OutputFile* file);

// Installs handlers: the first SIGINT or SIGTERM makes Interrupted() true, the
// next one ends the program.
void CatchInterrupts();

bool Interrupted();

}  // namespace gguf

#endif  // GGUF_CLI_TERMINAL_H_
