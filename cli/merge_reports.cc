// ggufcheck merge-reports: merges the reports of several runs into one.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/limit_flags.h"
#include "cli/report_output.h"
#include "cli/terminal.h"
#include "conformance/gate/merge.h"
#include "conformance/output/output_file.h"

namespace gguf {
namespace {

struct MergeFlags {
  std::vector<std::string> paths;
  ReportFlags report;
};

int RunMerge(const CLI::App& command, const MergeFlags& flags) {
  InputFiles inputs;
  for (const std::string& path : flags.paths) {
    inputs.Add(path, "a report to be merged");
  }
  Merge merge;
  const absl::Status opened = merge.Open(flags.paths);
  if (!opened.ok()) {
    PrintError(opened.message());
    return kCouldNotRun;
  }
  auto outputs =
      ReportOutputs::Open(flags.report, merge.run(), command, inputs);
  if (!outputs.ok()) return FailWith(outputs.status());
  return outputs->Close(
      merge.Take([&](const FileReport& file) { return outputs->Add(file); }));
}

}  // namespace

void AddMergeReportsCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* command = program->add_subcommand(
      "merge-reports", "Merge the reports of several runs into one.");
  AddValue(command, "REPORT", &flags->paths, "",
           "Reports in NDJSON or JSON, of all shards of one run or of several "
           "complete runs")
      ->required();
  AddReportFlags(command, &flags->report);
  command->footer(
      "Exit codes: as for ggufcheck check; 3 when a shard is missing or "
      "duplicate,\nor its report is truncated.\n"
      "\nExamples:\n"
      "  ggufcheck merge-reports shard-*.ndjson\n"
      "  ggufcheck merge-reports --format json --report html=all.html "
      "shard-*.ndjson");
  command->callback(
      [flags, command, exit_code] { *exit_code = RunMerge(*command, *flags); });
}

}  // namespace gguf
