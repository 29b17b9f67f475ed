// ggufcheck stats: a table of all tensors' weights.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"
#include "conformance/input/open.h"
#include "conformance/model/placement.h"
#include "conformance/report/tensor_tables.h"
#include "kernels/dequantize.h"
#include "parser/core/quote.h"
#include "parser/parse.h"

namespace gguf {
namespace {

struct StatsFlags {
  std::string path;
  CheckOptions options = ProgramOptions();
};

// Reads a tensor again, to build a histogram over its now known range.
std::string Bar(const File& file, const TensorInfo& tensor, const WeightStats& stats) {
  constexpr uint64_t kBlocksAtATime = 4096;
  const TensorTypeInfo& info = *tensor.type_info();
  Histogram histogram;
  histogram.min = stats.min;
  histogram.max = stats.max;
  const Range range = DataRange(file, tensor);
  const Bytes data = file.bytes.subspan(range.begin, range.size());
  std::vector<float> weights;
  for (uint64_t at = 0; at < data.size(); at += kBlocksAtATime * info.block_bytes) {
    const Bytes some = data.subspan(at, kBlocksAtATime * info.block_bytes);
    weights.resize(some.size() / info.block_bytes * info.block_elements);
    if (Dequantize(static_cast<TensorType>(info.id), some, absl::MakeSpan(weights),
                   file.encoding.endian)) {
      return "";
    }
    histogram.Add(weights);
  }
  return HistogramBar(histogram);
}

std::vector<std::string> Bars(Bytes bytes, const StatsFlags& flags, const FileReport& report) {
  Diagnostics found(1);
  const File file = Parse(bytes, flags.options.limits, &found);
  std::vector<std::string> bars;
  // The report contains the tensors that were read, in file order.
  size_t next = 0;
  const Placement placement = PlaceTensors(file);
  for (const TensorInfo& tensor : file.tensors) {
    if (next == report.stats.size()) break;
    if (placement.places[tensor.index] != Place::kGood || tensor.type_info()->removed != nullptr) {
      continue;
    }
    bars.push_back(Bar(file, tensor, report.stats[next++].weights));
  }
  return bars;
}

int RunStats(StatsFlags flags) {
  const auto complain = [&](absl::string_view why, int code) {
    PrintError(absl::StrCat(Escape(flags.path, flags.path.size()), ": ", why));
    return code;
  };
  const auto input = Input::Open(flags.path, flags.options.limits.stream_bytes);
  if (!input.ok()) return complain(input.status().message(), kCouldNotRun);
  ProgressLine progress;
  flags.options.stats = true;
  Work work;
  work.jobs = flags.options.jobs;
  work.progress = [&](uint64_t done, uint64_t total) { progress.Show(done, total); };
  const FileReport report =
      Validate(input->source(), *Profile::Find(Profile::kDefault), flags.options, {}, work);
  std::vector<std::string> bars;
  if (TerminalWidth() > 0 && !report.stats.empty()) bars = Bars(input->bytes(), flags, report);
  if (!Print(StatsTable(report.stats, bars))) return kCouldNotRun;
  const std::string changed = input->WhyChanged();
  if (!changed.empty()) return complain(changed, kCouldNotRun);
  if (!report.incomplete.empty()) {
    return complain(report.incomplete, kCouldNotRun);
  }
  if (!report.stopped.empty() || !report.tensors || report.stats.size() != *report.tensors) {
    return complain("not all tensors could be read; see ggufcheck check", kFindings);
  }
  return kOk;
}

}  // namespace

void AddStatsCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<StatsFlags>();
  CLI::App* command =
      program->add_subcommand("stats", "Print statistics of the weights of all tensors.");
  AddValue(command, "PATH", &flags->path, "", "A file, or - for standard input")->required();
  AddFlags(command, {"jobs"}, &flags->options);
  AddLimitFlags(command, &flags->options);
  command->footer(
      "On a terminal, each line ends with a small histogram from minimum to maximum.\n"
      "ggufcheck check --stats --format json reports the same numbers.\n"
      "\nExample:\n"
      "  ggufcheck stats model.gguf");
  command->callback([flags, exit_code] { *exit_code = RunStats(*flags); });
}

}  // namespace gguf
