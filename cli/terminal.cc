// Queries the terminal.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/report/text.h"
#include "parser/core/quote.h"

namespace gguf {

size_t TerminalWidth() {
  if (!isatty(STDOUT_FILENO)) return 0;
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return 80;
  }
  return size.ws_col;
}

bool UseColor() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && (no_color == nullptr || *no_color == '\0');
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

bool Finish(OutputFile* file) {
  const absl::Status status = file->Close();
  if (!status.ok() && !file->reader_left()) {
    PrintError(Visible(status.message()));
  }
  return status.ok();
}

}  // namespace gguf
