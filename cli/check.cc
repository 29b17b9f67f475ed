// ggufcheck check: the gate.
//
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/base_input.h"
#include "cli/baseline.h"
#include "cli/check_files.h"
#include "cli/check_flags.h"
#include "cli/check_plan.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/file_list.h"
#include "cli/find_files.h"
#include "cli/interrupts.h"
#include "cli/report_output.h"
#include "cli/shard_files.h"
#include "cli/terminal.h"
#include "cli/work_shard.h"
#include "conformance/report/report.h"
#include "conformance/rules/validate.h"
#include "parser/quote.h"

namespace gguf {
namespace {

// Says what is wrong; returns the exit code.
int Fail(const absl::Status& status, int code) {
  PrintError(Visible(status.message()));
  return code;
}

ValidateOptions OptionsOf(const CheckFlags& flags, const Policy& policy,
                          const BaseInput* base) {
  ValidateOptions options;
  options.policy = &policy;
  if (base != nullptr) options.base = &base->model();
  options.limits = flags.limits;
  options.weights = flags.weights;
  options.stats = flags.stats;
  options.off_rules = flags.readers;
  options.jobs = flags.jobs;
  return options;
}

// InvalidArgument when a report would replace one of the files.
absl::Status KeepInputs(const std::vector<ReportTarget>& targets,
                        const std::vector<FileGroup>& groups) {
  for (const ReportTarget& target : targets) {
    std::error_code ignored;
    if (!std::filesystem::exists(target.path, ignored)) continue;
    for (const FileGroup& group : groups) {
      for (const FoundFile& file : group.files) {
        if (!std::filesystem::equivalent(file.path, target.path, ignored)) {
          continue;
        }
        return absl::InvalidArgumentError(
            absl::StrCat("--report would overwrite ", Quote(file.path),
                         ", which is to be checked"));
      }
    }
  }
  return absl::OkStatus();
}

// Everything that is asked for, whichever shard looks at it.
absl::StatusOr<std::vector<FileGroup>> FindGroups(const CheckFlags& flags) {
  std::vector<std::string> paths = flags.paths;
  for (const auto& [list, separator] :
       {std::make_pair(flags.list, '\n'), std::make_pair(flags.list0, '\0')}) {
    if (list.empty()) continue;
    const auto listed =
        ReadFileList(list, separator, flags.limits.stream_bytes);
    if (!listed.ok()) return listed.status();
    paths.insert(paths.end(), listed->begin(), listed->end());
  }
  return GroupShards(FindFiles(paths));
}

// What is checked against besides the file itself; each may be missing.
struct Companions {
  std::unique_ptr<BaseInput> base;
  std::optional<BaselineFile> baseline;
};

// Says what became of the baseline.  False when it could not be written.
bool FinishBaseline(BaselineFile* baseline, Totals* totals) {
  const absl::Status status = baseline->Finish(totals->unfinished.empty());
  if (!status.ok()) PrintError(Visible(status.message()));
  for (const std::string& line : baseline->Warnings()) {
    PrintError(Visible(line));
  }
  totals->baseline = baseline->baseline().Outcome();
  return status.ok();
}

// Checks and reports; returns the exit code.
int CheckGroups(const CheckFlags& flags, const CheckPlan& plan,
                const std::vector<FileGroup>& groups, Companions* with) {
  const Run& run = plan.run;
  auto outputs = ReportOutputs::Open(flags.format, plan.reports, run);
  if (!outputs.ok()) return Fail(outputs.status(), kCouldNotRun);
  Totals totals;
  const auto take = [&](FileReport file) {
    if (with->base != nullptr && with->base->changed()) {
      file.incomplete = "the base changed while it was checked against";
    }
    IgnoreRulesOf(plan.config, &file);
    if (with->baseline) with->baseline->Settle(plan.profile, &file);
    totals.Add(file, run.fail_on);
    return outputs->Add(file);
  };
  const FileFlags file_flags = {flags.header,
                                plan.digests ? &*plan.digests : nullptr};
  const uint64_t files = InputsOf(groups).files;
  const uint64_t taken =
      CheckFiles(groups, plan.profile,
                 OptionsOf(flags, plan.config.config.policy, with->base.get()),
                 file_flags, take);
  if (taken < files) {
    totals.unfinished = absl::StrCat(
        Interrupted() ? "interrupted" : "no report could be written", ": ",
        files - taken, " of ", Count(files, "file"), " not looked at");
  }
  const bool written =
      !with->baseline || FinishBaseline(&*with->baseline, &totals);
  const int code = outputs->Close(totals);
  return written ? code : kCouldNotRun;
}

// The models of this run's shard; says so when there are none, or when it was
// not the command line that chose the shard.
std::vector<FileGroup> OwnShare(std::vector<FileGroup> all,
                                const ChosenWorkShard& chosen) {
  const WorkShard& shard = chosen.shard;
  std::vector<FileGroup> own = ShareOf(std::move(all), shard);
  if (!chosen.from.empty()) {
    AcknowledgeShard(Variable);
    PrintError(absl::StrCat("this is shard ", shard.index, " of ", shard.count,
                            ", by ", chosen.from));
  }
  if (own.empty()) PrintError("there is nothing to check for this run");
  return own;
}

int RunCheck(const CLI::App& command, CheckFlags flags) {
  auto plan = MakeCheckPlan(command, &flags);
  if (!plan.ok()) return Fail(plan.status(), kUsage);
  for (const std::string& line : plan->config.config.warnings) {
    PrintError(Visible(line));
  }
  Companions with;
  if (flags.baseline.any()) {
    auto baseline = BaselineFile::Open(flags.baseline);
    if (!baseline.ok()) return Fail(baseline.status(), kUsage);
    with.baseline = *std::move(baseline);
  }
  CatchInterrupts();
  if (!flags.base.empty()) {
    auto base = BaseInput::Open(flags.base, flags.limits);
    if (!base.ok()) return Fail(base.status(), kCouldNotRun);
    with.base = *std::move(base);
  }
  auto groups = FindGroups(flags);
  if (!groups.ok()) return Fail(groups.status(), kCouldNotRun);
  const absl::Status kept = KeepInputs(plan->reports, *groups);
  if (!kept.ok()) return Fail(kept, kUsage);
  plan->run.inputs = InputsOf(*groups);
  return CheckGroups(flags, *plan, OwnShare(*std::move(groups), plan->shard),
                     &with);
}

}  // namespace

void AddCheckCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program->add_subcommand(
      "check", "Check model files; the exit code is the verdict.");
  AddCheckFlags(command, flags.get());
  command->footer(
      "Exit codes:\n"
      "  0  checked, and nothing found at or above --fail-on\n"
      "  1  findings\n"
      "  2  the command line, the configuration or the baseline is wrong\n"
      "  3  could not check, or not finish: a missing file, a limit, an "
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
      "  ggufcheck check --format ndjson --shard-index 0 --shard-count 8 "
      "models\n"
      "  ggufcheck check --digest model.digest.json model.gguf\n"
      "  ggufcheck check --header-only --size 4368438944 - < first-bytes\n"
      "  ggufcheck check 'https://example.com/model.gguf'\n"
      "  zcat model.gguf.gz | ggufcheck check -");
  command->callback(
      [flags, command, exit_code] { *exit_code = RunCheck(*command, *flags); });
}

}  // namespace gguf
