// ggufcheck dump, digest and stats: what is in a file.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"
#include "conformance/base/output_file.h"
#include "conformance/base/text.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/files.h"
#include "conformance/input/open.h"
#include "conformance/model/digest.h"
#include "conformance/model/tensor_data.h"
#include "conformance/report/dump.h"
#include "conformance/report/tensor_tables.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "kernels/dequantize.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// Reads the tensor types of the configuration, and nothing else of it.  Returns
// false after an error.
bool ReadOwnTypes(CheckOptions* options) {
  const auto file = ConfigOf(*options);
  if (!file.ok()) PrintError(Visible(file.status().message()));
  if (file.ok()) options->limits.own_types = file->config.limits.own_types;
  return file.ok();
}

struct DumpFlags {
  std::string path;
  CheckOptions options = ProgramOptions();
};

int RunDump(DumpFlags flags) {
  if (!ReadOwnTypes(&flags.options)) return kUsage;
  const auto fail = [&](absl::string_view why) {
    PrintError(absl::StrCat(Escape(flags.path, flags.path.size()), ": ", why));
    return kCouldNotRun;
  };
  const auto input = Input::Open(flags.path, flags.options.limits.stream_bytes);
  if (!input.ok()) return fail(input.status().message());
  Diagnostics found(1);
  const File file = Parse(input->source(), flags.options.limits, &found);
  const auto out = OutputFile::StandardOutput();
  WriteDump(file, out->out());
  if (!Finish(out.get())) return kCouldNotRun;
  const std::string changed = input->WhyChanged();
  if (!changed.empty()) return fail(changed);
  if (!file.stop) return kOk;
  fail(file.stop->Why());
  return file.stop->kind == Stop::kDamage ? kFindings : kCouldNotRun;
}

}  // namespace

void AddDumpCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<DumpFlags>();
  CLI::App* command =
      program->add_subcommand("dump", "Print all metadata and the tensor table as JSON.");
  command->add_option("PATH", flags->path, "A file, or - for standard input")->required();
  AddFlags(command, {"config", "no-config"}, &flags->options);
  AddLimitFlags(command, &flags->options);
  command->footer(
      "For a broken file, prints what could be read, with \"incomplete\": true, and exits with 1.\n"
      "\nExamples:\n"
      "  ggufcheck dump model.gguf\n"
      "  ggufcheck dump model.gguf | jq '.tensors | length'");
  command->callback([flags, exit_code] { *exit_code = RunDump(*flags); });
}

// ggufcheck digest: SHA-256 of each tensor and of the metadata, as a manifest.

namespace {

struct DigestFlags {
  std::vector<std::string> paths;
  CheckOptions options = ProgramOptions();
};

// Returns why the file's tensors cannot be digested; empty when they can.
std::string WhyNone(const File& file) {
  if (file.progress != Progress::kTensors) return file.stop->Why();
  if (!file.alignment_known) return "general.alignment is invalid";
  if (PlaceTensors(file).data_end) return "";
  return "the data of a tensor is misplaced or of unknown size; see ggufcheck check";
}

// Returns InvalidArgument for a broken file.
absl::StatusOr<FileDigest> DigestPath(const FoundFile& found, const DigestFlags& flags) {
  if (!found.status.ok()) return absl::NotFoundError(found.status.message());
  const auto input = Input::Open(found.path, flags.options.limits.stream_bytes);
  if (!input.ok()) return absl::NotFoundError(input.status().message());
  Diagnostics diagnostics(1);
  const File file = Parse(input->bytes(), flags.options.limits, &diagnostics);
  const std::string why = WhyNone(file);
  if (!why.empty()) {
    const bool not_done = file.stop && file.stop->kind == Stop::kNotDone;
    return not_done ? absl::ResourceExhaustedError(why) : absl::InvalidArgumentError(why);
  }
  ProgressLine progress;
  DigestOptions options;
  options.jobs = flags.options.jobs;
  options.progress = [&](uint64_t done, uint64_t total) { progress.Show(done, total); };
  std::optional<FileDigest> digest = DigestFile(file, DataRanges(file), options);
  const std::string changed = input->WhyChanged();
  if (!changed.empty()) return absl::AbortedError(changed);
  return *std::move(digest);
}

int RunDigest(DigestFlags flags) {
  if (!ReadOwnTypes(&flags.options)) return kUsage;
  int code = kOk;
  std::vector<DigestEntry> digests;
  for (const FoundFile& found : FindFiles(flags.paths).files) {
    absl::StatusOr<FileDigest> digest = DigestPath(found, flags);
    if (digest.ok()) {
      digests.push_back({found.path, *std::move(digest)});
      continue;
    }
    PrintError(
        absl::StrCat(Escape(found.path, found.path.size()), ": ", digest.status().message()));
    code = std::max<int>(code, absl::IsInvalidArgument(digest.status()) ? kFindings : kCouldNotRun);
  }
  // A partial manifest would look like a complete one.
  if (code != kOk) return code;
  return Print(WriteDigests(digests)) ? kOk : kCouldNotRun;
}

}  // namespace

void AddDigestCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<DigestFlags>();
  CLI::App* command = program->add_subcommand(
      "digest", "Print the SHA-256 of each tensor's data and of the metadata.");
  AddValue(command, "PATH", &flags->paths, "",
           "Files, directories to search for models, or - for standard input")
      ->required();
  AddFlags(command, {"jobs", "config", "no-config"}, &flags->options);
  AddLimitFlags(command, &flags->options);
  command->footer(
      "The manifest is JSON.  \"metadata\" covers all bytes outside tensor data.\nNothing is "
      "printed unless all files could be read.\n"
      "\nExamples:\n"
      "  ggufcheck digest model.gguf > model.digest.json\n"
      "  ggufcheck check --digest model.digest.json model.gguf");
  command->callback([flags, exit_code] { *exit_code = RunDigest(*flags); });
}

// ggufcheck stats: a table of all tensors' weights.

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
    if (placement.places[tensor.index] != Place::kGood || !tensor.has_known_weights()) {
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
