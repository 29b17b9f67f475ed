// ggufcheck check: the gate.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
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
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/file_list.h"
#include "cli/find_files.h"
#include "cli/input.h"
#include "cli/interrupts.h"
#include "cli/report_output.h"
#include "cli/shard_files.h"
#include "cli/terminal.h"
#include "cli/work_shard.h"
#include "conformance/config/config.h"
#include "conformance/integrity/digest_manifest.h"
#include "conformance/report/report.h"
#include "conformance/rules/digest_rules.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "parser/quote.h"

namespace gguf {
namespace {

ValidateOptions OptionsOf(const CheckFlags& flags, const HouseRules& house,
                          const BaseInput* base) {
  ValidateOptions options;
  options.house = &house;
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

// A variable of the environment.
std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

// What the flags stand for; InvalidArgument when they are wrong.
struct Plan {
  ConfigFile config;
  Profile profile;
  std::vector<ReportTarget> reports;
  ChosenWorkShard shard;
  std::optional<DigestManifest> digests;
};

absl::StatusOr<std::optional<DigestManifest>> ReadDigestFlag(
    const CheckFlags& flags) {
  if (flags.digest.empty()) return std::nullopt;
  const auto input =
      Input::Open(flags.digest, flags.limits.stream_bytes, Streams::kAny);
  auto digests = input.ok() ? ReadDigests(AsText(input->bytes()))
                            : absl::StatusOr<DigestManifest>(input.status());
  if (digests.ok()) return *std::move(digests);
  return absl::InvalidArgumentError(absl::StrCat(
      "--digest ", Quote(flags.digest), ": ", digests.status().message()));
}

absl::Status CheckHeaderFlags(const CheckFlags& flags) {
  const HeaderFlags& header = flags.header;
  const bool all = flags.weights || flags.stats || !flags.digest.empty();
  if (header.only && all) {
    return absl::InvalidArgumentError(
        "--header-only reads no data, which --weights, --stats and --digest "
        "need");
  }
  if (header.size && (flags.paths.size() != 1 || !header.only)) {
    return absl::InvalidArgumentError(
        "--size is of one stream, which is read with --header-only");
  }
  return absl::OkStatus();
}

absl::StatusOr<Plan> MakePlan(const CheckFlags& flags, ConfigFile config) {
  const bool listed = !flags.list.empty() || !flags.list0.empty();
  if (flags.paths.empty() && !listed) {
    return absl::InvalidArgumentError(
        "say what to check: PATH, --files-from or --files-from0");
  }
  const auto times = std::count(flags.paths.begin(), flags.paths.end(), "-") +
                     (flags.base == "-") + (flags.digest == "-") +
                     (flags.list == "-") + (flags.list0 == "-");
  if (times > 1) {
    return absl::InvalidArgumentError("standard input can be read only once");
  }
  const absl::Status header = CheckHeaderFlags(flags);
  if (!header.ok()) return header;
  auto digests = ReadDigestFlag(flags);
  if (!digests.ok()) return digests.status();
  auto profile =
      MakeProfile(config.config, flags.profile, flags.select, flags.ignore);
  if (!profile.ok()) return profile.status();
  auto reports = ParseReportTargets(flags.reports);
  if (!reports.ok()) return reports.status();
  auto shard = ChooseWorkShard(flags.shard, Variable);
  if (!shard.ok()) return shard.status();
  if (shard->shard.count > 1 && !flags.baseline.write.empty()) {
    return absl::InvalidArgumentError(
        "a shard cannot write the baseline: the shards would overwrite each "
        "other's");
  }
  if (*digests) {
    for (const Rule* rule : DigestRules()) {
      profile->Override(*rule, Severity::kError);
    }
  }
  return Plan{std::move(config), *std::move(profile), *std::move(reports),
              *std::move(shard), *std::move(digests)};
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

Run RunOf(const CheckFlags& flags, const Plan& plan,
          const std::vector<FileGroup>& groups) {
  Run run;
  run.config = plan.config.path;
  run.profile = flags.profile;
  run.fail_on = FailOnNames().at(flags.fail_on);
  run.select = flags.select;
  run.ignore = flags.ignore;
  run.shard = plan.shard.shard;
  run.inputs = InputsOf(groups);
  return run;
}

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

// Checks and reports; returns the exit code.  `base` and `baseline` may be
// null.
int CheckGroups(const CheckFlags& flags, const Plan& plan, const Run& run,
                const std::vector<FileGroup>& groups, const BaseInput* base,
                BaselineFile* baseline) {
  FileFlags file_flags;
  file_flags.header = flags.header;
  if (plan.digests) file_flags.digests = &*plan.digests;
  auto outputs = ReportOutputs::Open(flags.format, plan.reports, run);
  if (!outputs.ok()) {
    PrintError(outputs.status().message());
    return kCouldNotRun;
  }
  Totals totals;
  const auto take = [&](FileReport file) {
    if (base != nullptr && base->damaged()) {
      file.incomplete = "the base changed while it was checked against";
    }
    IgnoreRulesOf(plan.config, &file);
    if (baseline != nullptr) baseline->Settle(plan.profile, &file);
    totals.Add(file, run.fail_on);
    return outputs->Add(file);
  };
  const uint64_t files = InputsOf(groups).files;
  const uint64_t taken = CheckFiles(
      groups, plan.profile, OptionsOf(flags, plan.config.config.house, base),
      file_flags, take);
  if (taken < files) {
    totals.unfinished = absl::StrCat(
        Interrupted() ? "interrupted" : "no report could be written", ": ",
        files - taken, " of ", Count(files, "file"), " not looked at");
  }
  bool written = true;
  if (baseline != nullptr) written = FinishBaseline(baseline, &totals);
  const int code = outputs->Close(totals);
  return written ? code : kCouldNotRun;
}

int RunCheck(const CLI::App& command, CheckFlags flags) {
  const auto fail = [](const absl::Status& status, int code) {
    PrintError(Visible(status.message()));
    return code;
  };
  const absl::Status together = CheckTogether(flags);
  if (!together.ok()) return fail(together, kUsage);
  if (flags.config.empty() && !flags.no_config) flags.config = FindConfig();
  auto config = LoadConfig(flags.config);
  if (!config.ok()) return fail(config.status(), kUsage);
  SetOtherFlags(command, config->config, &flags);
  const absl::StatusOr<Plan> plan = MakePlan(flags, *std::move(config));
  if (!plan.ok()) return fail(plan.status(), kUsage);
  std::optional<BaselineFile> baseline;
  if (flags.baseline.any()) {
    auto opened = BaselineFile::Open(flags.baseline);
    if (!opened.ok()) return fail(opened.status(), kUsage);
    baseline = *std::move(opened);
  }
  CatchInterrupts();
  std::unique_ptr<BaseInput> base;
  if (!flags.base.empty()) {
    auto opened = BaseInput::Open(flags.base, flags.limits);
    if (!opened.ok()) return fail(opened.status(), kCouldNotRun);
    base = *std::move(opened);
  }
  auto all = FindGroups(flags);
  if (!all.ok()) return fail(all.status(), kCouldNotRun);
  const absl::Status kept = KeepInputs(plan->reports, *all);
  if (!kept.ok()) return fail(kept, kUsage);

  const WorkShard& shard = plan->shard.shard;
  const Run run = RunOf(flags, *plan, *all);
  const std::vector<FileGroup> groups = ShareOf(*std::move(all), shard);
  if (!plan->shard.from.empty()) {
    AcknowledgeShard(Variable);
    PrintError(absl::StrCat("this is shard ", shard.index, " of ", shard.count,
                            ", by ", plan->shard.from));
  }
  if (groups.empty()) {
    PrintError("there is nothing to check for this run");
  }
  return CheckGroups(flags, *plan, run, groups, base.get(),
                     baseline ? &*baseline : nullptr);
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
