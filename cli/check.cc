// ggufcheck check: the gate.
//
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/find_files.h"
#include "cli/input.h"
#include "cli/limit_flags.h"
#include "cli/terminal.h"
#include "conformance/report/json.h"
#include "conformance/report/report.h"
#include "conformance/report/text.h"
#include "conformance/rules/catalogue.h"
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

// A rule id, or the beginning of some and a star.
absl::Status OverrideMatching(absl::string_view pattern, bool on,
                              const Profile& base, Profile* profile) {
  absl::string_view prefix = pattern;
  const bool star = absl::ConsumeSuffix(&prefix, "*");
  bool found = false;
  for (const Check& check : Catalogue()) {
    const absl::string_view id = check.rule->id;
    if (star ? !absl::StartsWith(id, prefix) : id != pattern) continue;
    found = true;
    // A rule that the profile has off comes on as a warning when selected.
    profile->Override(*check.rule, on ? std::max(base.SeverityOf(*check.rule),
                                                 Severity::kWarning)
                                      : Severity::kOff);
  }
  if (found) return absl::OkStatus();
  const std::string closest = ClosestRule(pattern);
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no rule ", Quote(pattern),
      closest.empty() ? "; see ggufcheck rules"
                      : absl::StrCat("; did you mean ", closest, "?")));
}

absl::StatusOr<Profile> MakeProfile(const CheckFlags& flags) {
  const Profile* base = Profile::Find(flags.profile);
  Profile profile = *base;
  if (!flags.select.empty()) {
    for (const Check& check : Catalogue()) {
      profile.Override(*check.rule, Severity::kOff);
    }
  }
  for (const bool on : {true, false}) {
    for (const std::string& list : on ? flags.select : flags.ignore) {
      for (const absl::string_view pattern : absl::StrSplit(list, ',')) {
        const absl::Status status =
            OverrideMatching(pattern, on, *base, &profile);
        if (!status.ok()) return status;
      }
    }
  }
  return profile;
}

std::atomic<bool> interrupted{false};

void OnInterrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);  // The next one ends the program at once.
}

FileReport CheckFile(const FoundFile& found, const Profile& profile,
                     const Limits& limits) {
  const auto incomplete = [&](absl::string_view why) {
    FileReport report = Unchecked(why, profile);
    report.path = found.path;
    return report;
  };
  if (interrupted) return incomplete("interrupted");
  if (!found.status.ok()) return incomplete(found.status.message());
  const auto input = Input::Open(found.path, limits.stream_bytes);
  if (!input.ok()) return incomplete(input.status().message());
  const std::string name =
      found.path == "-" ? ""
                        : std::filesystem::path(found.path).filename().string();
  FileReport report = Validate(input->bytes(), name, profile, {limits});
  report.path = found.path;
  if (!input->complete()) report.size = std::nullopt;
  if (input->damaged()) {
    report.incomplete =
        "the file shrank, or could not be read, while it was "
        "being checked";
  }
  return report;
}

// Checks the files with several threads, and keeps their order.
std::vector<FileReport> CheckFiles(const std::vector<FoundFile>& files,
                                   const Profile& profile,
                                   const CheckFlags& flags) {
  std::vector<FileReport> reports(files.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      reports[i] = CheckFile(files[i], profile, flags.limits);
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < flags.jobs && i < files.size(); ++i) {
    threads.emplace_back(work);
  }
  work();
  for (std::thread& thread : threads) thread.join();
  return reports;
}

// Writes one FORMAT=PATH; the path "-" is standard output.
absl::Status WriteReport(absl::string_view spec, const Report& report) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(spec, absl::MaxSplits('=', 1));
  const auto writer = Writers().find(parts.first);
  if (writer == Writers().end() || parts.second.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--report wants FORMAT=PATH with a format of ",
        absl::StrJoin(Names(Writers()), ", "), ", not ", Quote(spec)));
  }
  const std::string text = writer->second(report);
  if (parts.second == "-") {
    return Print(text) ? absl::OkStatus() : absl::InternalError("stdout");
  }
  std::ofstream file(parts.second, std::ios::binary);
  file << text << std::flush;
  if (file) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("cannot write the report ", Quote(parts.second)));
}

int RunCheck(const CheckFlags& flags) {
  const auto profile = MakeProfile(flags);
  if (!profile.ok()) {
    PrintError(profile.status().message());
    return kUsage;
  }
  Report report;
  report.profile = flags.profile;
  report.fail_on = FailOnNames().at(flags.fail_on);
  // What is wrong with a --report is wrong before an hour of work.
  for (const std::string& spec : flags.reports) {
    const std::string format = spec.substr(0, spec.find('='));
    if (spec.size() > format.size() + 1 && Writers().count(format)) continue;
    PrintError(WriteReport(spec, report).message());
    return kUsage;
  }
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
  report.files = CheckFiles(FindFiles(flags.paths), *profile, flags);

  const std::string output =
      flags.format == "text" ? TextReport(report, {UseColor(), TerminalWidth()})
                             : Writers().at(flags.format)(report);
  int code = ExitCode(report);
  if (!Print(output)) {
    PrintError("cannot write to standard output");
    code = kCouldNotRun;
  }
  for (const std::string& spec : flags.reports) {
    const absl::Status status = WriteReport(spec, report);
    if (status.ok()) continue;
    PrintError(status.message());
    code = kCouldNotRun;
  }
  return code;
}

}  // namespace

void AddCheckCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program->add_subcommand(
      "check", "Check model files; the exit code is the verdict.");
  command
      ->add_option("PATH", flags->paths,
                   "Files, directories to search for models, or - for standard "
                   "input")
      ->required();
  std::vector<std::string> profiles;
  for (const Profile& profile : Profile::BuiltIn()) {
    profiles.push_back(profile.name());
  }
  command
      ->add_option("--profile", flags->profile,
                   "The question to answer: " + absl::StrJoin(profiles, ", ") +
                       " (default " + Profile::kDefault + ")")
      ->check(CLI::IsMember(profiles));
  command
      ->add_option("--format", flags->format,
                   "Of the report on standard output: text or json")
      ->check(CLI::IsMember(Names(Writers())));
  command
      ->add_option("--report", flags->reports,
                   "FORMAT=PATH: write another report to a file; may be "
                   "given several times")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--fail-on", flags->fail_on,
                   "The least severity that fails a file: error (default), "
                   "warning or note")
      ->check(CLI::IsMember(Names(FailOnNames())));
  command
      ->add_option("--select", flags->select,
                   "Check only these rules: ids or prefix*, separated by "
                   "commas")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--ignore", flags->ignore,
                   "Leave these rules out: ids or prefix*, separated by "
                   "commas")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--jobs", flags->jobs,
                   "Files to check at a time (default: one for each core)")
      ->check(CLI::Range(1, 1024));
  AddLimitFlags(command, &flags->limits);
  command->footer(
      "Exit codes:\n"
      "  0  checked, and nothing found at or above --fail-on\n"
      "  1  findings\n"
      "  2  the command line is wrong\n"
      "  3  could not check, or not finish: a missing file, a limit, an "
      "interruption\n"
      "\nExamples:\n"
      "  ggufcheck check model.gguf\n"
      "  ggufcheck check --profile llama.cpp --fail-on warning models/\n"
      "  ggufcheck check --format json --ignore 'key-*' model.gguf\n"
      "  zcat model.gguf.gz | ggufcheck check -");
  command->callback([flags, exit_code] { *exit_code = RunCheck(*flags); });
}

}  // namespace gguf
