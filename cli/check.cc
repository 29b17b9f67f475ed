// ggufcheck check and compare: the gate, between the flags and the reports.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/report_output.h"
#include "cli/terminal.h"
#include "conformance/base/text.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/gate.h"
#include "conformance/check/work_shard.h"
#include "conformance/report/report.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"

namespace gguf {
namespace {

// Prints a line when the environment chose the shard, and one when there are
// no files.
void AnnounceShare(const CheckInputs& inputs, const Gate& gate) {
  if (!inputs.shard_from().empty()) {
    AcknowledgeShard(Variable);
    const WorkShard& shard = inputs.run().shard;
    PrintError(absl::StrCat("checking shard ", shard.index + 1, " of ", shard.count, ", chosen by ",
                            inputs.shard_from()));
  }
  if (gate.empty()) PrintError("no files to check in this run");
}

// Checks and reports; returns the exit code.
int CheckAll(const CheckOptions& options, Gate* gate, ReportOutputs* outputs) {
  const bool reads_data = ReadsData(options);
  ProgressLine progress(reads_data ? ProgressLine::Unit::kBytes : ProgressLine::Unit::kFiles);
  GateCallbacks callbacks;
  callbacks.take = [&](const FileReport& file) {
    progress.Clear();
    return outputs->Add(file);
  };
  if (!options.quiet) {
    callbacks.progress = [&](const GateProgress& now) {
      const std::string files = absl::StrCat(now.files_done, " of ", now.files, " files");
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

// Opens what the options name, checks the files and writes the reports.
int RunGate(const CLI::App& command, CheckOptions* options) {
  const auto inputs = CheckInputs::Open(options);
  if (!inputs.ok()) return FailWith(inputs.status());
  for (const std::string& line : inputs->warnings()) PrintError(Visible(line));
  CatchInterrupts();
  auto gate = Gate::Open(*options, *inputs, Interrupted);
  if (!gate.ok()) return FailWith(gate.status());
  AnnounceShare(*inputs, *gate);
  auto outputs = ReportOutputs::Open(*options, gate->run(), command, gate->inputs());
  if (!outputs.ok()) return FailWith(outputs.status());
  return CheckAll(*options, &*gate, &*outputs);
}

int RunCheck(const CLI::App& command, CheckOptions* options) {
  const std::vector<std::string>& paths = options->paths;
  if (paths.empty() && options->files_from.empty() && options->files_from0.empty()) {
    PrintError("no files given; use PATH, --files-from or --files-from0");
    return kUsage;
  }
  if (options->size && (paths.size() != 1 || !options->header_only)) {
    PrintError("--size requires --header-only and exactly one PATH");
    return kUsage;
  }
  const int code = RunGate(command, options);
  return code == kFindings && options->exit_zero ? kOk : code;
}

// Returns the rules of comparisons, and those without which a file cannot be
// read.
std::string SelectedRules() {
  std::vector<const char*> ids;
  for (const Rule* rule : RulesAgainst(Against::kOrigin)) ids.push_back(rule->id);
  const Profile& profile = *Profile::Find(Profile::kDefault);
  for (const Rule* rule : Catalogue()) {
    const bool is_of_parser = CheckOf(*rule) == nullptr;
    if (is_of_parser && profile.SeverityOf(*rule) != Severity::kOff) {
      ids.push_back(rule->id);
    }
  }
  return absl::StrJoin(ids, ",");
}

int RunCompare(const CLI::App& command, CheckOptions* options) {
  const bool has_source = !options->source.empty();
  std::vector<std::string>& paths = options->paths;
  if (paths.size() < (has_source ? 1 : 2)) {
    PrintError("compare needs BASE and FILE, or --source DIR and FILE");
    return kUsage;
  }
  if (!has_source) {
    options->origin = paths.front();
    paths.erase(paths.begin());
  }
  options->no_config = true;
  options->select = {SelectedRules()};
  return RunGate(command, options);
}

}  // namespace

void AddCheckCommand(CLI::App* program, int* exit_code) {
  auto options = std::make_shared<CheckOptions>(ProgramOptions());
  CLI::App* command =
      program->add_subcommand("check", "Check model files; the exit code gives the verdict.");
  AddValue(command, "PATH", &options->paths, "",
           "Files, directories to search for models, URLs, or - for standard input; other shards "
           "in the same directory are included");
  for (const CheckOption& option : AllCheckOptions()) {
    AddFlag(command, option, options.get());
  }
  command->footer(
      "Exit codes:\n"
      "  0  all files were checked; no findings at or above --fail-on, or --exit-zero\n"
      "  1  findings at or above --fail-on\n"
      "  2  invalid command line, configuration or baseline\n"
      "  3  the check did not complete: a missing file, a limit, an interruption\n"
      "\nExamples:\n"
      "  ggufcheck check model.gguf\n"
      "  ggufcheck check --weights --profile llama.cpp models/\n"
      "  ggufcheck check --base model.gguf lora.gguf\n"
      "  ggufcheck check --format json --ignore 'key-*' model.gguf\n"
      "  ggufcheck check --config ci/ggufcheck.toml --baseline known.jsonl models\n"
      "  ggufcheck check --report sarif=out.sarif --report junit=out.xml models\n"
      "  find . -name '*.gguf' -print0 | ggufcheck check --files-from0 -\n"
      "  ggufcheck check --format ndjson --shard 1/8 models\n"
      "  ggufcheck check --digest model.digest.json model.gguf\n"
      "  ggufcheck check --header-only --size 4368438944 - < first-bytes\n"
      "  ggufcheck check 'https://example.com/model.gguf'\n"
      "  zcat model.gguf.gz | ggufcheck check -");
  command->callback(
      [options, command, exit_code] { *exit_code = RunCheck(*command, options.get()); });
}

void AddCompareCommand(CLI::App* program, int* exit_code) {
  auto options = std::make_shared<CheckOptions>(ProgramOptions());
  CLI::App* command = program->add_subcommand(
      "compare", "Check that model files were made from the model they claim.");
  AddValue(command, "PATH", &options->paths, "",
           "The base, unless --source is given; then the files to compare, or directories to "
           "search for models");
  AddValue(command, "--source", &options->source, "DIR",
           "Compare with the files of this Hugging Face folder, not with a base");
  AddFlags(command, {"fail-on", "format", "report", "color", "quiet", "ignore", "jobs"},
           options.get());
  AddLimitFlags(command, options.get());
  command->footer(
      "BASE is a GGUF file of higher precision, or one of its shards.  The weights of FILE\nmay "
      "differ from it by what their types lose, and its keys by what a quantizer writes.\nWith "
      "--source, the files of a Hugging Face folder take the place of BASE: keys, tokens\nand "
      "shapes are compared, weights are not.  Exit codes are those of check.\n"
      "\nExamples:\n"
      "  ggufcheck compare model-F16.gguf model-Q4_K_M.gguf\n"
      "  ggufcheck compare model-BF16-00001-of-00003.gguf quantized/\n"
      "  ggufcheck compare --source Qwen3-0.6B model-Q4_K_M.gguf\n"
      "  ggufcheck compare --format json model-F16.gguf model-Q8_0.gguf");
  command->callback(
      [options, command, exit_code] { *exit_code = RunCompare(*command, options.get()); });
}

}  // namespace gguf
