// ggufcheck readers fuzz: fuzzes a reader.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
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
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/reader_flags.h"
#include "cli/terminal.h"
#include "conformance/base/text.h"
#include "conformance/readers/fuzz/findings.h"
#include "conformance/readers/fuzz/fuzzer.h"
#include "conformance/readers/fuzz/mutants.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/run/cases.h"
#include "corpus/language/image.h"

namespace gguf {
namespace {

using readers::FuzzGroup;
using readers::FuzzOptions;
using readers::FuzzReport;

struct FuzzFlags {
  ReaderFlags reader;
  std::string differential;  // A command.
  std::string corpus;        // A folder of seeds.
  std::string output, replay;
  std::string time = "1m";
  std::string format = "text";
  std::vector<std::string> fail_on;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  uint64_t seed = 1;
};

// A report format.  Add a row for a new one.
struct Format {
  const char* name;
  std::string (*write)(const FuzzReport& report);
};

constexpr Format kFormats[] = {
    {"text",
     [](const FuzzReport& report) {
       return FuzzText(report, {UseColor(), TerminalWidth()});
     }},
    {"json", readers::FuzzJson},
    {"junit", readers::FuzzJunit},
    {"sarif", readers::FuzzSarif},
    {"html", readers::FuzzHtml},
};

template <class Rows>
std::vector<std::string> NamesOf(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

// Returns the seeds that the program has, and those of --corpus; without it,
// those of the corpus, if it is at hand.
absl::StatusOr<std::vector<std::string>> Seeds(const std::string& corpus) {
  std::vector<std::string> seeds = readers::BuiltInSeeds();
  auto folder = FindCases(corpus);
  if (!folder.ok() && !corpus.empty()) return folder.status();
  if (!folder.ok()) return seeds;
  const auto more = readers::SeedsIn(*folder);
  if (!more.ok()) return absl::UnavailableError(more.status().message());
  seeds.insert(seeds.end(), more->begin(), more->end());
  return seeds;
}

// Returns the report in a folder; an empty one if it has none and need not.
absl::StatusOr<FuzzReport> ReadReport(const std::string& folder, bool required) {
  const std::string path = readers::FuzzReportPath(folder);
  std::error_code error;
  if (!required && (folder.empty() || !std::filesystem::exists(path, error))) return FuzzReport();
  const auto text = corpus::ReadFile(path);
  if (!text.ok()) return absl::UnavailableError(text.status().message());
  auto report = readers::ReadFuzzReport(*text);
  if (!report.ok()) {
    return absl::UnavailableError(absl::StrCat(path, ": ", report.status().message()));
  }
  return report;
}

absl::StatusOr<FuzzOptions> OptionsOf(const FuzzFlags& flags) {
  FuzzOptions options;
  const auto reader = ReaderOf(flags.reader);
  if (!reader.ok()) return reader.status();
  options.reader = *reader;
  const auto limits = LimitsOf(flags.reader, *reader);
  if (!limits.ok()) return limits.status();
  options.limits = *limits;
  options.limits.output = uint64_t{64} << 20;
  options.limits.interrupted = Interrupted;
  const auto time = readers::ParseTimeout(flags.time);
  if (!time.ok())
    return absl::InvalidArgumentError(absl::StrCat("--time: ", time.status().message()));
  options.time = *time;
  options.jobs = flags.jobs;
  options.seed = flags.seed;
  options.output = flags.replay.empty() ? flags.output : flags.replay;
  if (!flags.differential.empty()) {
    const auto other = ReaderOfCommand(flags.differential);
    if (!other.ok()) return other.status();
    options.other = *other;
    options.other->sanitizer = options.reader.sanitizer;  // It reserves addresses.
  }
  return options;
}

// Starts the readers once; sets what their greetings say.
absl::Status Greet(FuzzOptions* options, FuzzReport* report) {
  const absl::Status set_up = SetUp(options->reader);
  if (!set_up.ok()) return set_up;
  const auto greeting = GreetingOf(options->reader);
  if (!greeting.ok()) return greeting.status();
  options->caps = greeting->caps;
  if (options->other) {
    const auto other = GreetingOf(*options->other);
    if (!other.ok()) return other.status();
    options->other_caps = other->caps;
  }
  report->reader.name = greeting->name;
  report->reader.version = greeting->version;
  report->reader.command = readers::PortableCommand(options->reader);
  report->reader.caps = greeting->caps.CapNames();
  report->reader.quirks = greeting->caps.QuirkNames();
  report->reader.mode = options->reader.bare() ? "bare" : "protocol";
  report->reader.sanitizer = options->reader.sanitizer;
  report->date = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  return absl::OkStatus();
}

bool Fails(const FuzzFlags& flags, const FuzzReport& report) {
  return std::any_of(report.groups.begin(), report.groups.end(), [&](const FuzzGroup& group) {
    return flags.fail_on.empty() ||
           std::find(flags.fail_on.begin(), flags.fail_on.end(), group.kind) != flags.fail_on.end();
  });
}

int RunFuzz(const FuzzFlags& flags) {
  absl::StatusOr<FuzzOptions> options = OptionsOf(flags);
  if (!options.ok()) return FailWith(options.status());
  absl::StatusOr<FuzzReport> report = ReadReport(options->output, !flags.replay.empty());
  if (!report.ok()) return FailWith(report.status());
  absl::StatusOr<std::vector<std::string>> seeds = Seeds(flags.corpus);
  if (!seeds.ok()) return FailWith(seeds.status());
  options->seeds = *std::move(seeds);
  const absl::Status greeted = Greet(&*options, &*report);
  if (!greeted.ok()) return FailWith(absl::UnavailableError(greeted.message()));

  CatchInterrupts();
  ProgressLine progress(ProgressLine::Unit::kSeconds);
  options->progress = [&](const readers::FuzzProgress& now) {
    const double seconds = absl::ToDoubleSeconds(now.elapsed);
    const uint64_t total = absl::ToInt64Seconds(options->time);
    progress.Show(std::min<uint64_t>(seconds, total), std::max<uint64_t>(total, 1),
                  absl::StrCat(now.executions, " executions, ", now.groups, " groups, ",
                               now.features, " outcomes"));
  };
  report = flags.replay.empty() ? Fuzz(*options, *std::move(report))
                                : Replay(*options, *std::move(report));
  progress.Clear();
  if (!report.ok()) return FailWith(absl::UnavailableError(report.status().message()));
  for (const Format& format : kFormats) {
    if (flags.format == format.name && !Print(format.write(*report))) return kCouldNotRun;
  }
  if (!report->incomplete.empty()) {
    return FailWith(
        absl::UnavailableError(absl::StrCat("the run is incomplete: ", report->incomplete)));
  }
  return Fails(flags, *report) ? kFindings : kOk;
}

}  // namespace

void AddReadersFuzzCommand(CLI::App* readers, int* exit_code) {
  CLI::App* const fuzz = readers->add_subcommand(
      "fuzz",
      "Fuzz a reader: let it read mutants of valid files, and report what crashes it, hangs it, or "
      "is accepted, rejected or read wrongly; each group of failures with a small file.");
  const auto flags = std::make_shared<FuzzFlags>();
  flags->reader.timeout = "200ms";
  AddReaderFlags(fuzz, &flags->reader);
  AddValue(fuzz, "--time", &flags->time, "TIME",
           "How long to fuzz, with a unit: 30s, 10m, 8h (default: 1m); the run ends within 10 "
           "seconds after that");
  fuzz->add_option("--jobs", flags->jobs, "Parallel reader processes (default: one per processor)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  AddValue(fuzz, "--output", &flags->output, "DIR",
           "Keep findings and mutants in this folder; a later run continues from them");
  AddValue(fuzz, "--corpus", &flags->corpus, "DIR",
           "Also start from the valid cases, or the files of at most 4 KiB, in this folder "
           "(default: corpus/cases in the working directory or its nearest parent, if any)");
  AddValue(fuzz, "--differential", &flags->differential, "COMMAND",
           "Compare with another reader, in place of the validator: what it accepts, rejects and "
           "reads is right");
  AddValue(fuzz, "--seed", &flags->seed, "N", "The seed of the random numbers (default: 1)");
  AddValue(fuzz, "--replay", &flags->replay, "DIR",
           "Only read the findings in this folder again, and report those that still fail")
      ->excludes("--output");
  AddValue(fuzz, "--fail-on", &flags->fail_on, "KIND",
           "Exit with 1 only if there is a group of this kind (repeatable; default: any)")
      ->check([](const std::string& text) {
        const auto kinds = NamesOf(readers::FuzzKinds());
        if (std::count(kinds.begin(), kinds.end(), text) > 0) return std::string();
        return absl::StrCat("invalid value ", Quote(text), ": expected one of ",
                            absl::StrJoin(kinds, ", "));
      })
      ->allow_extra_args(false);
  AddChoice(fuzz, "--format", &flags->format, NamesOf(kFormats), "The format of the report");
  fuzz->footer(
      "Examples:\n"
      "  ggufcheck readers fuzz --cmd 'python3 my_adapter.py' --time 10m --output findings\n"
      "  ggufcheck readers fuzz --cmd 'python3 my_adapter.py' --replay findings\n"
      "\nExit codes: 0 nothing found, 1 findings, 2 usage error, 3 could not run.");
  fuzz->callback([flags, exit_code] { *exit_code = RunFuzz(*flags); });
}

}  // namespace gguf
