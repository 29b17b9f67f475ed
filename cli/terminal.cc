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
