// Connects the gate with the terminal and the reports.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/run_gate.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "cli/check_flags.h"
#include "cli/progress_line.h"
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
  const bool reads_data = options.weights || options.stats || options.digests ||
                          options.sha256 || request.origin != nullptr;
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

}  // namespace

int RunGate(const CheckRequest& request, const ReportFlags& flags,
            const CLI::App& command) {
  CatchInterrupts();
  auto gate = Gate::Open(request, Interrupted);
  if (!gate.ok()) return FailWith(gate.status());
  AnnounceShare(request, *gate);
  auto outputs =
      ReportOutputs::Open(flags, gate->run(), command, gate->inputs());
  if (!outputs.ok()) return FailWith(outputs.status());
  return CheckAll(request, &*gate, &*outputs, !flags.quiet);
}

}  // namespace gguf
