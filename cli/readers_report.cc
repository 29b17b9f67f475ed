// ggufcheck readers report: prints the results of reader runs in one of several
// formats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "conformance/input/open.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"
#include "conformance/readers/run/merge_runs.h"
#include "conformance/readers/run/run_log.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

using readers::Matrix;

constexpr uint64_t kMostLog = 1 << 30;  // Bytes, from a pipe.

// A report format.  Add a row to kFormats for a new one.
struct Format {
  const char* name;
  std::string (*write)(const Matrix& matrix);
};

constexpr Format kFormats[] = {
    {"terminal",
     [](const Matrix& matrix) {
       return TerminalReport(matrix, {UseColor(), TerminalWidth()});
     }},
    {"json", [](const Matrix& matrix) { return JsonReport(matrix, {}); }},
    {"markdown", readers::MarkdownReport},
    {"html", readers::HtmlReport},
    {"junit", readers::JunitReport},
    {"badge", readers::BadgeReport},
};

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}

absl::StatusOr<readers::NamedLog> ReadLog(const std::string& path) {
  auto input = Input::Open(path, kMostLog, Streams::kAny);
  if (!input.ok()) {
    return absl::Status(input.status().code(),
                        absl::StrCat(path, ": ", input.status().message()));
  }
  auto log = readers::ReadRunLog(AsText(input->bytes()));
  if (!log.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": not a log of ggufcheck readers run: ", log.status().message()));
  }
  return readers::NamedLog{path, *std::move(log)};
}

struct ReportFlags {
  std::vector<std::string> logs;
  std::string format = "terminal";
};

int RunReport(const ReportFlags& flags) {
  std::vector<readers::NamedLog> logs;
  for (const std::string& path : flags.logs) {
    auto log = ReadLog(path);
    if (!log.ok()) {
      PrintError(Visible(log.status().message()));
      return kCouldNotRun;
    }
    logs.push_back(*std::move(log));
  }
  const std::vector<readers::ReaderRun> runs = MergeRuns(std::move(logs));
  if (flags.format == "badge" && runs.size() != 1) {
    PrintError("a badge shows one reader, but the logs contain several");
    return kUsage;
  }
  const Matrix matrix = BuildMatrix(runs);
  for (const Format& format : kFormats) {
    if (flags.format != format.name) continue;
    if (!Print(format.write(matrix))) return kCouldNotRun;
  }
  for (const std::string& problem : matrix.problems) {
    PrintError(absl::StrCat("incomplete: ", problem));
  }
  return matrix.problems.empty() ? kOk : kCouldNotRun;
}

}  // namespace

void AddReadersReportCommand(CLI::App* readers, int* exit_code) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command = readers->add_subcommand(
      "report",
      "Compare readers side by side, from the logs of readers run. Logs of the "
      "shards of one run are combined. Exit code 3 if a run is not complete.");
  command->add_option("LOG", flags->logs, "A log written by readers run --log")
      ->required();
  command
      ->add_option("--format", flags->format,
                   absl::StrCat("One of ", absl::StrJoin(FormatNames(), ", ")))
      ->check(CLI::IsMember(FormatNames()))
      ->capture_default_str();
  command->footer(
      "Example:\n  ggufcheck readers report ggml.ndjson mine.ndjson "
      "--format html > readers.html");
  command->callback([flags, exit_code] { *exit_code = RunReport(*flags); });
}

}  // namespace gguf
