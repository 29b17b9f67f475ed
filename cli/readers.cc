// ggufcheck readers: conformance of third-party readers, and the reports on it.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/reader_flags.h"
#include "cli/terminal.h"
#include "conformance/base/text.h"
#include "conformance/input/open.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"
#include "conformance/readers/run/run_log.h"
#include "conformance/readers/run/runner.h"

namespace gguf {
namespace {

int RunSmoke(const ReaderFlags& flags) {
  const auto reader = ReaderOf(flags);
  if (!reader.ok()) return FailWith(reader.status());
  const auto limits = LimitsOf(flags, *reader);
  if (!limits.ok()) return FailWith(limits.status());
  const absl::Status set_up = SetUp(*reader);
  if (!set_up.ok()) return FailWith(set_up);
  const auto smoke = readers::RunSmoke(*reader, *limits);
  if (!smoke.ok()) {
    return FailWith(absl::UnavailableError(smoke.status().message()));
  }
  if (!Print(smoke->transcript)) return kCouldNotRun;
  return smoke->adapter_faults == 0 ? kOk : kFindings;
}

void AddSmoke(CLI::App* parent, int* exit_code) {
  CLI::App* const smoke =
      parent->add_subcommand("smoke", "Check that an adapter follows the protocol.");
  const auto flags = std::make_shared<ReaderFlags>();
  AddReaderFlags(smoke, flags.get());
  smoke->footer("Example:\n  ggufcheck readers smoke --cmd './my-adapter'");
  smoke->callback([flags, exit_code] { *exit_code = RunSmoke(*flags); });
}

}  // namespace

void AddReadersCommand(CLI::App* program, int* exit_code) {
  CLI::App* const command = program->add_subcommand("readers", "Test the conformance of readers.");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  ggufcheck readers run --cmd './my-adapter'\n"
      "\nSee ggufcheck readers COMMAND --help for details.");
  AddReadersRunCommand(command, exit_code);
  AddSmoke(command, exit_code);
  AddReadersFuzzCommand(command, exit_code);
  AddReadersReportCommand(command, exit_code);
}

// ggufcheck readers report: prints the results of reader runs in one of several
// formats.

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
    return absl::Status(input.status().code(), absl::StrCat(path, ": ", input.status().message()));
  }
  auto log = readers::ReadRunLog(AsText(input->bytes()));
  if (!log.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not a log of ggufcheck readers run: ", log.status().message()));
  }
  return readers::NamedLog{path, *std::move(log)};
}

struct ReportFlags {
  std::vector<std::string> logs;
  std::string format = "terminal";
  std::string since;  // Path of an earlier log, or empty.
};

// Reads a list of logs, or prints why one cannot be read.
std::optional<std::vector<readers::ReaderRun>> ReadRuns(const std::vector<std::string>& paths) {
  std::vector<readers::NamedLog> logs;
  for (const std::string& path : paths) {
    auto log = ReadLog(path);
    if (!log.ok()) {
      PrintError(Visible(log.status().message()));
      return std::nullopt;
    }
    logs.push_back(*std::move(log));
  }
  return MergeRuns(std::move(logs));
}

// Prints how the only run differs from an earlier one.
int PrintChanges(const ReportFlags& flags, const std::vector<readers::ReaderRun>& runs) {
  const auto before = ReadRuns({flags.since});
  if (!before) return kCouldNotRun;
  if (runs.size() != 1) {
    PrintError("--since compares one reader, but the logs contain several");
    return kUsage;
  }
  if (!Print(ChangesReport((*before)[0], runs[0]))) return kCouldNotRun;
  if (!runs[0].problems.empty()) return kCouldNotRun;
  return FindChanges((*before)[0], runs[0]).broken.empty() ? kOk : kFindings;
}

int RunReport(const ReportFlags& flags) {
  const auto read = ReadRuns(flags.logs);
  if (!read) return kCouldNotRun;
  const std::vector<readers::ReaderRun>& runs = *read;
  if (!flags.since.empty()) return PrintChanges(flags, runs);
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
      "Compare readers side by side, from the logs of readers run. Logs of the shards of one run "
      "are combined. Exit code 3 if a run is not complete.");
  command->add_option("LOG", flags->logs, "A log written by readers run --log")->required();
  command
      ->add_option("--format", flags->format,
                   absl::StrCat("One of ", absl::StrJoin(FormatNames(), ", ")))
      ->check(CLI::IsMember(FormatNames()))
      ->capture_default_str();
  command
      ->add_option("--since", flags->since,
                   "An earlier log of the reader: print what changed, as Markdown; exit code 1 if "
                   "a case fails that did not fail before")
      ->type_name("LOG")
      ->excludes("--format");
  command->footer(
      "Examples:\n"
      "  ggufcheck readers report ggml.ndjson mine.ndjson --format html > readers.html\n"
      "  ggufcheck readers report new.ndjson --since old.ndjson >comment.md");
  command->callback([flags, exit_code] { *exit_code = RunReport(*flags); });
}

}  // namespace gguf
