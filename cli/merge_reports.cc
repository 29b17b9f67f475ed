// ggufcheck merge-reports: merges the reports of several runs into one.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/report_output.h"
#include "cli/terminal.h"
#include "conformance/base/output_file.h"
#include "conformance/check/merge.h"

namespace gguf {
namespace {

int RunMerge(const CLI::App& command, const CheckOptions& options) {
  InputFiles inputs;
  for (const std::string& path : options.paths) {
    inputs.Add(path, "a report to be merged");
  }
  Merge merge;
  const absl::Status opened = merge.Open(options.paths);
  if (!opened.ok()) {
    PrintError(opened.message());
    return kCouldNotRun;
  }
  auto outputs = ReportOutputs::Open(options, merge.run(), command, inputs);
  if (!outputs.ok()) return FailWith(outputs.status());
  return outputs->Close(merge.Take([&](const FileReport& file) { return outputs->Add(file); }));
}

}  // namespace

void AddMergeReportsCommand(CLI::App* program, int* exit_code) {
  auto options = std::make_shared<CheckOptions>(ProgramOptions());
  CLI::App* command =
      program->add_subcommand("merge-reports", "Merge the reports of several runs into one.");
  AddValue(command, "REPORT", &options->paths, "",
           "Reports in NDJSON or JSON, of all shards of one run or of several complete runs")
      ->required();
  AddFlags(command, {"format", "report", "color", "quiet", "verbose"}, options.get());
  command->footer(
      "Exit codes: as for ggufcheck check; 3 when a shard is missing or duplicate,\nor its report "
      "is truncated.\n"
      "\nExamples:\n"
      "  ggufcheck merge-reports shard-*.ndjson\n"
      "  ggufcheck merge-reports --format json --report html=all.html shard-*.ndjson");
  command->callback([options, command, exit_code] { *exit_code = RunMerge(*command, *options); });
}

}  // namespace gguf
