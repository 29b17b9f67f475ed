// ggufcheck check: the gate.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "cli/report_output.h"
#include "cli/terminal.h"
#include "conformance/gate/gate.h"
#include "conformance/gate/work_shard.h"
#include "conformance/report/report.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Prints a line when the environment chose the shard, and one when there are
// no files.
void AnnounceShare(const CheckRequest& request, const Gate& gate) {
  if (!request.shard_from.empty()) {
    AcknowledgeShard(Variable);
    const WorkShard& shard = request.run.shard;
    PrintError(absl::StrCat("checking shard ", shard.index + 1, " of ",
                            shard.count, ", chosen by ", request.shard_from));
  }
  if (gate.empty()) PrintError("no files to check in this run");
}

// Checks and reports; returns the exit code.
int CheckAll(const CheckRequest& request, Gate* gate, ReportOutputs* outputs,
             bool shows_progress) {
  const ValidateOptions& options = request.validate;
  const bool reads_data =
      options.weights || options.stats || options.digests || options.sha256;
  ProgressLine progress(reads_data ? ProgressLine::Unit::kBytes
                                   : ProgressLine::Unit::kFiles);
  GateCallbacks callbacks;
  callbacks.take = [&](const FileReport& file) {
    progress.Clear();
    return outputs->Add(file);
  };
  if (shows_progress) {
    callbacks.progress = [&](const GateProgress& now) {
      const std::string files =
          absl::StrCat(now.files_done, " of ", now.files, " files");
      if (!reads_data) {
        progress.Show(now.files_done, now.files);
      } else {
        progress.Show(now.bytes_done, now.bytes, now.files > 1 ? files : "");
      }
    };
  }
  callbacks.stop = Interrupted;
  const GateResult result = gate->Check(callbacks);
  progress.Clear();
  if (!result.baseline.ok()) PrintError(Visible(result.baseline.message()));
  for (const std::string& line : result.warnings) PrintError(Visible(line));
  const int code = outputs->Close(result.totals);
  return result.baseline.ok() ? code : kCouldNotRun;
}

int RunCheck(const CLI::App& command, const CheckFlags& flags) {
  const auto request = MakeCheckRequest(flags);
  if (!request.ok()) return FailWith(request.status());
  for (const std::string& line : request->config->config.warnings) {
    PrintError(Visible(line));
  }
  CatchInterrupts();
  auto gate = Gate::Open(*request, Interrupted);
  if (!gate.ok()) return FailWith(gate.status());
  AnnounceShare(*request, *gate);
  auto outputs =
      ReportOutputs::Open(flags.report, gate->run(), command, gate->inputs());
  if (!outputs.ok()) return FailWith(outputs.status());
  const int code = CheckAll(*request, &*gate, &*outputs, !flags.report.quiet);
  return code == kFindings && flags.exit_zero ? kOk : code;
}

}  // namespace

void AddCheckCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program->add_subcommand(
      "check", "Check model files; the exit code gives the verdict.");
  AddCheckFlags(command, flags.get());
  command->footer(
      "Exit codes:\n"
      "  0  all files were checked; no findings at or above --fail-on, or "
      "--exit-zero\n"
      "  1  findings at or above --fail-on\n"
      "  2  invalid command line, configuration or baseline\n"
      "  3  the check did not complete: a missing file, a limit, an "
      "interruption\n"
      "\nExamples:\n"
      "  ggufcheck check model.gguf\n"
      "  ggufcheck check --weights --profile llama.cpp models/\n"
      "  ggufcheck check --base model.gguf lora.gguf\n"
      "  ggufcheck check --format json --ignore 'key-*' model.gguf\n"
      "  ggufcheck check --config ci/ggufcheck.toml --baseline known.jsonl "
      "models\n"
      "  ggufcheck check --report sarif=out.sarif --report junit=out.xml "
      "models\n"
      "  find . -name '*.gguf' -print0 | ggufcheck check --files-from0 -\n"
      "  ggufcheck check --format ndjson --shard 1/8 models\n"
      "  ggufcheck check --digest model.digest.json model.gguf\n"
      "  ggufcheck check --header-only --size 4368438944 - < first-bytes\n"
      "  ggufcheck check 'https://example.com/model.gguf'\n"
      "  zcat model.gguf.gz | ggufcheck check -");
  command->callback(
      [flags, command, exit_code] { *exit_code = RunCheck(*command, *flags); });
}

}  // namespace gguf
