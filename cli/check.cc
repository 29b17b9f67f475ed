// ggufcheck check: the gate.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/base_input.h"
#include "cli/check_files.h"
#include "cli/commands.h"
#include "cli/find_files.h"
#include "cli/limit_flags.h"
#include "cli/rule_selection.h"
#include "cli/shard_files.h"
#include "cli/terminal.h"
#include "conformance/report/json.h"
#include "conformance/report/report.h"
#include "conformance/report/text.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "parser/quote.h"

namespace gguf {
namespace {

struct CheckFlags {
  std::vector<std::string> paths;
  std::string profile = Profile::kDefault;
  std::string format = "text";
  std::vector<std::string> reports;  // FORMAT=PATH
  std::string fail_on = "error";
  std::vector<std::string> select, ignore;
  std::string base;  // A path; empty for none.
  bool weights = false;
  bool stats = false;
  bool readers = false;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  Limits limits;
};

// To add a report format: one row.
using Writer = std::string (*)(const Report&);
const std::map<std::string, Writer>& Writers() {
  static const auto& writers = *new std::map<std::string, Writer>{
      {"text",
       [](const Report& report) { return TextReport(report, TextStyle{}); }},
      {"json", JsonReport},
  };
  return writers;
}

const std::map<std::string, Severity>& FailOnNames() {
  static const auto& names =
      *new std::map<std::string, Severity>{{"error", Severity::kError},
                                           {"warning", Severity::kWarning},
                                           {"note", Severity::kNote}};
  return names;
}

template <class Value>
std::vector<std::string> Names(const std::map<std::string, Value>& map) {
  std::vector<std::string> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}

// A --report: which format goes to which file.
struct ReportFile {
  std::string format;
  std::string path;
};

absl::StatusOr<ReportFile> ParseReportFlag(const std::string& flag,
                                           const CheckFlags& flags) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(flag, absl::MaxSplits('=', 1));
  const ReportFile report{parts.first, parts.second};
  if (Writers().count(report.format) == 0 || report.path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--report wants FORMAT=PATH with a format of ",
        absl::StrJoin(Names(Writers()), ", "), ", not ", Quote(flag)));
  }
  if (report.path == "-") {
    return absl::InvalidArgumentError(
        "--report writes to files; --format chooses what standard output gets");
  }
  for (const std::string& path : flags.paths) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(path, report.path, ignored)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--report would overwrite ", Quote(path), ", which is to be checked"));
  }
  return report;
}

absl::Status WriteReport(const ReportFile& to, const Report& report) {
  std::ofstream file(to.path, std::ios::binary);
  file << Writers().at(to.format)(report) << std::flush;
  if (file) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("cannot write the report ", Quote(to.path)));
}

ValidateOptions OptionsOf(const CheckFlags& flags, const BaseInput* base) {
  ValidateOptions options;
  if (base != nullptr) options.base = &base->model();
  options.limits = flags.limits;
  options.weights = flags.weights;
  options.stats = flags.stats;
  options.off_rules = flags.readers;
  options.jobs = flags.jobs;
  return options;
}

int RunCheck(const CheckFlags& flags) {
  const auto usage = [](const absl::Status& status) {
    PrintError(status.message());
    return kUsage;
  };
  const auto profile =
      SelectRules(*Profile::Find(flags.profile), flags.select, flags.ignore);
  if (!profile.ok()) return usage(profile.status());
  std::vector<ReportFile> report_files;
  for (const std::string& flag : flags.reports) {
    const auto report_file = ParseReportFlag(flag, flags);
    if (!report_file.ok()) return usage(report_file.status());
    report_files.push_back(*report_file);
  }
  if (std::count(flags.paths.begin(), flags.paths.end(), "-") +
          (flags.base == "-") >
      1) {
    return usage(
        absl::InvalidArgumentError("standard input can be read only once"));
  }

  CatchInterrupts();
  std::unique_ptr<BaseInput> base;
  if (!flags.base.empty()) {
    auto opened = BaseInput::Open(flags.base, flags.limits);
    if (!opened.ok()) {
      PrintError(opened.status().message());
      return kCouldNotRun;
    }
    base = *std::move(opened);
  }
  Report report;
  report.profile = flags.profile;
  report.fail_on = FailOnNames().at(flags.fail_on);
  report.select = flags.select;
  report.ignore = flags.ignore;
  report.readers = flags.readers;
  report.files = CheckFiles(GroupShards(FindFiles(flags.paths)), *profile,
                            OptionsOf(flags, base.get()));
  if (base != nullptr && base->damaged()) {
    for (FileReport& file : report.files) {
      file.incomplete = "the base changed while files were checked against it";
    }
  }

  const std::string output =
      flags.format == "text" ? TextReport(report, {UseColor(), TerminalWidth()})
                             : Writers().at(flags.format)(report);
  int code = ExitCode(report);
  if (!Print(output)) {
    PrintError("cannot write to standard output");
    code = kCouldNotRun;
  }
  for (const ReportFile& to : report_files) {
    const absl::Status status = WriteReport(to, report);
    if (status.ok()) continue;
    PrintError(status.message());
    code = kCouldNotRun;
  }
  return code;
}

void AddFlags(CLI::App* command, CheckFlags* flags) {
  command
      ->add_option("PATH", flags->paths,
                   "Files, directories to search for models, or - for standard "
                   "input; a shard brings the others of its folder")
      ->required()
      ->type_name("");
  std::vector<std::string> profiles;
  for (const Profile& profile : Profile::BuiltIn()) {
    profiles.push_back(profile.name());
  }
  const auto choice = [&](const char* name, std::string* value,
                          const std::vector<std::string>& values,
                          const std::string& help) {
    command
        ->add_option(name, *value,
                     absl::StrCat(help, ": ", absl::StrJoin(values, ", "),
                                  " (default ", *value, ")"))
        ->check([values](const std::string& text) -> std::string {
          if (std::count(values.begin(), values.end(), text) > 0) return "";
          return absl::StrCat("is one of ", absl::StrJoin(values, ", "),
                              ", not ", Quote(text));
        })
        ->type_name("NAME");
  };
  choice("--profile", &flags->profile, profiles, "The question to answer");
  choice("--format", &flags->format, Names(Writers()),
         "Of the report on standard output");
  choice("--fail-on", &flags->fail_on, Names(FailOnNames()),
         "The least severity that fails a file");
  const auto list = [&](const char* name, std::vector<std::string>* value,
                        const char* type, const char* help) {
    command->add_option(name, *value, help)
        ->expected(1)
        ->take_all()
        ->type_name(type);
  };
  list("--report", &flags->reports, "FORMAT=PATH",
       "Write another report to a file; may be given several times");
  list("--select", &flags->select, "RULES",
       "Check only these rules: ids or prefix*, separated by commas");
  list("--ignore", &flags->ignore, "RULES",
       "Leave these rules out: ids or prefix*, separated by commas");
  command
      ->add_option("--base", flags->base,
                   "The model that the adapters or control vectors are for: "
                   "do they fit?")
      ->type_name("PATH");
  command->add_flag("--weights", flags->weights,
                    "Read the data of all tensors: are all weights finite?");
  command->add_flag("--stats", flags->stats,
                    "Statistics of each tensor; implies --weights");
  command->add_flag("--readers", flags->readers,
                    "Foretell which programs will take the file, and why not");
  command
      ->add_option("--jobs", flags->jobs,
                   "Threads (default: one for each core)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  AddLimitFlags(command, &flags->limits);
}

}  // namespace

void AddCheckCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program->add_subcommand(
      "check", "Check model files; the exit code is the verdict.");
  AddFlags(command, flags.get());
  command->footer(
      "Exit codes:\n"
      "  0  checked, and nothing found at or above --fail-on\n"
      "  1  findings\n"
      "  2  the command line is wrong\n"
      "  3  could not check, or not finish: a missing file, a limit, an "
      "interruption\n"
      "\nExamples:\n"
      "  ggufcheck check model.gguf\n"
      "  ggufcheck check --weights --profile llama.cpp models/\n"
      "  ggufcheck check --base model.gguf lora.gguf\n"
      "  ggufcheck check --format json --ignore 'key-*' model.gguf\n"
      "  zcat model.gguf.gz | ggufcheck check -");
  command->callback([flags, exit_code] { *exit_code = RunCheck(*flags); });
}

}  // namespace gguf
