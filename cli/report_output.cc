// Writes reports to standard output and to files.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/report_output.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/terminal.h"
#include "conformance/base/text.h"
#include "conformance/input/open.h"
#include "conformance/readers/process/reader.h"
#include "conformance/report/writers.h"

namespace gguf {
namespace {

// Returns a command with its flags, then its paths: the first few of them.
// Without secrets: the values of --header, and passwords and queries of URLs.
std::string CommandLine(const CLI::App& command) {
  constexpr size_t kPaths = 8;
  std::vector<std::string> words = {"ggufcheck", command.get_name()};
  std::vector<std::string> paths;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    for (const std::string& value : option->results()) {
      if (option->get_positional()) {
        paths.push_back(ShownPath(value));
        continue;
      }
      words.push_back(name);
      const bool is_flag = option->get_expected_min() == 0 && value == "true";
      if (is_flag) continue;
      words.push_back(name == "--header" ? "..." : ShownPath(value));
    }
  }
  const size_t shown = std::min(kPaths, paths.size());
  words.insert(words.end(), paths.begin(), paths.begin() + shown);
  const size_t more = paths.size() - shown;
  return absl::StrCat(readers::ShellLine(words),
                      more > 0 ? absl::StrCat(" ... and ", more, " more") : "");
}

// A report to be written to a file.
struct ReportTarget {
  std::string format;
  std::string path;
};

absl::StatusOr<std::vector<ReportTarget>> ParseReportTargets(
    const std::vector<std::string>& flags) {
  const std::vector<std::string> formats = ReportFormatNames();
  std::vector<ReportTarget> targets;
  for (const std::string& flag : flags) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(flag, absl::MaxSplits('=', 1));
    const ReportTarget target{parts.first, parts.second};
    if (std::count(formats.begin(), formats.end(), target.format) == 0 || target.path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "invalid value ", Quote(flag), " for --report: expected FORMAT=PATH with FORMAT one of ",
          absl::StrJoin(formats, ", ")));
    }
    if (target.path == "-") {
      return absl::InvalidArgumentError(
          "--report writes to files; --format selects what standard output gets");
    }
    for (const ReportTarget& other : targets) {
      if (other.path != target.path) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("two reports have the same path ", Quote(target.path)));
    }
    targets.push_back(target);
  }
  return targets;
}

}  // namespace

absl::StatusOr<ReportOutputs> ReportOutputs::Open(const CheckOptions& options, Run run,
                                                  const CLI::App& command,
                                                  const InputFiles& inputs) {
  const auto targets = ParseReportTargets(options.report);
  if (!targets.ok()) return targets.status();
  ReportOutputs outputs;
  run.command = CommandLine(command);
  run.date = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  TextStyle style;
  style.verbose = options.verbose;
  const auto add = [&](std::unique_ptr<OutputFile> file, const std::string& of_format) {
    auto writer = NewReportWriter(of_format, run, style, file->out());
    outputs.outputs_.push_back({std::move(file), std::move(writer), {}});
  };
  for (const ReportTarget& target : *targets) {
    auto file =
        OutputFile::Create(target.path, absl::StrCat("the report ", Quote(target.path)), inputs);
    if (!file.ok()) return file.status();
    add(*std::move(file), target.format);
  }
  style = {UseColor(options.color), TerminalWidth(), options.quiet, options.verbose};
  add(OutputFile::StandardOutput(), options.format);
  return outputs;
}

bool ReportOutputs::Add(const FileReport& report) {
  bool any = false;
  for (Output& output : outputs_) {
    if (!output.status.ok()) continue;
    try {
      output.writer->Add(report);
      // Flush, so that a reader of a pipe sees each file as soon as it is done.
      const bool is_last = &output == &outputs_.back();
      if (is_last) output.status = output.file->Flush();
    } catch (const std::exception& error) {  // Mostly out of memory.
      output.status = absl::InternalError(absl::StrCat("cannot write a report: ", error.what()));
    }
    any |= output.status.ok() && output.file->out();
  }
  return any;
}

int ReportOutputs::Close(const Totals& totals) {
  int code = ExitCode(totals);
  for (Output& output : outputs_) {
    if (output.status.ok()) {
      output.writer->End(totals);
      output.status = output.file->Close();
    }
    if (output.status.ok()) continue;
    if (!output.file->reader_left()) {
      PrintError(Visible(output.status.message()));
    }
    code = kCouldNotRun;
  }
  return code;
}

}  // namespace gguf
