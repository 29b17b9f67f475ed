// Connects the gate with the terminal and the reports.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/run_gate.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/check_flags.h"
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
int CheckAll(Gate* gate, ReportOutputs* outputs, bool shows_progress) {
  ProgressLine progress;
  GateCallbacks callbacks;
  callbacks.take = [&](const FileReport& file) {
    progress.Clear();
    return outputs->Add(file);
  };
  callbacks.progress = [&](uint64_t done, uint64_t total) {
    if (shows_progress) progress.Show(done, total);
  };
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
  return CheckAll(&*gate, &*outputs, !flags.quiet);
}

}  // namespace gguf
