// ggufcheck readers run: runs a reader over the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/reader_flags.h"
#include "cli/terminal.h"
#include "conformance/base/output_file.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/check/work_shard.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"
#include "conformance/readers/run/cases.h"
#include "conformance/readers/run/known_failures.h"
#include "conformance/readers/run/run_log.h"
#include "conformance/readers/run/runner.h"
#include "corpus/export/collection.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

namespace gguf {
namespace {

using readers::CaseRecord;
using readers::LogFile;
using readers::Reader;
using readers::RunLog;

// Converts any error code into one that means an environment problem.
absl::Status CouldNotRun(const absl::Status& status) {
  return absl::UnavailableError(status.message());
}

struct RunFlags {
  ReaderFlags reader;
  readers::Selection selection;
  std::string cases;  // A folder; empty to search for it.
  std::string shard;
  std::string known_failures;  // Paths; empty for none.
  std::string log;
  std::string repro;  // The id of a case.
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool list = false;
  bool fix = false;
};

// The selected cases.
struct Selected {
  std::string folder;
  std::set<std::string> all_ids;
  std::vector<corpus::Case> cases;  // In this shard.
  size_t in_all_shards = 0;
  readers::ShardInfo shard;
};

absl::StatusOr<Selected> Select(const RunFlags& flags) {
  Selected selected;
  const auto chosen = ChooseWorkShard(flags.shard, Variable);
  if (!chosen.ok()) return chosen.status();
  selected.shard = {chosen->shard.index, chosen->shard.count};
  const auto folder = FindCases(flags.cases);
  if (!folder.ok()) return folder.status();
  selected.folder = *folder;
  const auto ids = corpus::ListCases(*folder);
  if (!ids.ok()) return CouldNotRun(ids.status());
  selected.all_ids.insert(ids->begin(), ids->end());
  auto cases = readers::SelectCases(flags.selection, *folder, *ids);
  if (!cases.ok()) return CouldNotRun(cases.status());
  selected.in_all_shards = cases->size();
  readers::KeepShard(selected.shard, &*cases);
  selected.cases = *std::move(cases);
  if (selected.cases.empty()) {
    return absl::NotFoundError("the shard is empty: too few cases");
  }
  return selected;
}

int ListCases(const Selected& selected) {
  std::string list;
  for (const corpus::Case& a_case : selected.cases) {
    absl::StrAppend(&list, a_case.id, "\n");
  }
  return Print(list) ? kOk : kCouldNotRun;
}

int ShowRepro(const RunFlags& flags, const Reader& reader) {
  const auto folder = FindCases(flags.cases);
  if (!folder.ok()) return FailWith(folder.status());
  const auto shown = readers::Repro(reader, *folder, flags.repro);
  if (!shown.ok()) return FailWith(CouldNotRun(shown.status()));
  return Print(*shown) ? kOk : kCouldNotRun;
}

readers::RunHeader HeaderOf(const RunFlags& flags, const Reader& reader,
                            const readers::Greeting& greeting, const Selected& selected) {
  readers::RunHeader header;
  header.tool = {"ggufcheck", kToolVersion};
  header.date = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  header.reader.name = greeting.name;
  header.reader.version = greeting.version;
  header.reader.command = readers::PortableCommand(reader);
  header.reader.caps = greeting.caps.CapNames();
  header.reader.quirks = greeting.caps.QuirkNames();
  header.reader.mode = reader.bare() ? "bare" : "protocol";
  header.reader.sanitizer = reader.sanitizer;
  header.corpus.cases = selected.in_all_shards;
  const auto manifest = corpus::ReadFile(corpus::Beside(selected.folder, "manifest.json"));
  if (manifest.ok()) header.corpus.sha256 = corpus::Sha256(*manifest);
  header.corpus.version = kToolVersion;
  header.level = flags.selection.level;
  header.selectors = flags.selection.selectors;
  header.shard = selected.shard;
  return header;
}

// Returns the files that the run reads.
InputFiles InputsOf(const RunFlags& flags, const Selected& selected) {
  InputFiles inputs;
  inputs.Add(flags.known_failures, "the known failures");
  const auto readers = FindReadersFile(flags.reader.readers_file);
  if (readers.ok()) inputs.Add(*readers, "the list of readers");
  inputs.Add(corpus::Beside(selected.folder, "manifest.json"), "the manifest");
  for (const std::string& id : selected.all_ids) {
    inputs.Add(absl::StrCat(selected.folder, "/", id, ".gguft"), "a case");
  }
  return inputs;
}

// Returns null when no log was requested.
absl::StatusOr<std::unique_ptr<LogFile>> OpenLog(const RunFlags& flags, const Selected& selected) {
  if (flags.log.empty()) return nullptr;
  return LogFile::Create(flags.log, InputsOf(flags, selected));
}

// Reports what the list lacks and its outdated lines, or fixes it.  Returns the
// exit code.
int HandleKnown(const KnownFailuresFile& known, bool fix, const Selected& selected,
                const RunLog& log) {
  if (fix) {
    const absl::Status fixed = known.Fix(log.cases, selected.all_ids);
    return fixed.ok() ? kOk : FailWith(CouldNotRun(fixed));
  }
  const auto differences = known.Differences(log.cases, selected.all_ids);
  for (const std::string& line : differences) PrintError(Visible(line));
  const bool unexpected =
      std::any_of(log.cases.begin(), log.cases.end(),
                  [](const CaseRecord& record) { return readers::IsUnexpected(record.result); });
  return unexpected || !differences.empty() ? kFindings : kOk;
}

// Results of an adapter that violates the protocol tell nothing about its
// reader.
void HintAtSmoke(const RunLog& log) {
  const auto broke =
      std::count_if(log.cases.begin(), log.cases.end(),
                    [](const CaseRecord& record) { return record.outcome == "protocol"; });
  if (broke == 0) return;
  PrintError(absl::StrCat(
      broke,
      " answers violate the protocol; run ggufcheck readers smoke to see how to fix the adapter"));
}

bool PrintReport(const RunLog& log) {
  const std::vector<readers::ReaderRun> runs = readers::MergeRuns({{"this run", log}});
  return Print(readers::TerminalReport(readers::BuildMatrix(runs), {UseColor(), TerminalWidth()}));
}

// Writes the log, if `file` is not null, while the run lasts.
absl::StatusOr<RunLog> RunOver(const RunFlags& flags, readers::RunOptions options,
                               readers::RunHeader header, const Selected& selected,
                               const readers::KnownFailures& known, LogFile* file) {
  const absl::Status begun = file == nullptr ? absl::OkStatus() : file->Begin(header);
  if (!begun.ok()) return CouldNotRun(begun);
  ProgressLine progress(ProgressLine::Unit::kCases);
  options.cases = selected.folder;
  if (!flags.cases.empty()) options.named_cases = selected.folder;
  options.jobs = flags.jobs;
  options.limits.interrupted = Interrupted;
  options.progress = [&](size_t done) {
    progress.Show(std::min(done, selected.cases.size()), selected.cases.size());
  };
  options.first = [&](CaseRecord record) {
    if (file == nullptr) return;
    known.Apply(&record);
    file->Add(record);
  };
  const absl::Time begin = absl::Now();
  readers::RunResult result = RunCases(options, selected.cases);
  for (CaseRecord& record : result.records) known.Apply(&record);
  RunLog log;
  log.header = std::move(header);
  log.cases = std::move(result.records);
  log.footer = readers::RunFooter{result.incomplete.empty(), log.cases.size(),
                                  absl::ToDoubleSeconds(absl::Now() - begin), result.incomplete};
  const absl::Status written = file == nullptr ? absl::OkStatus() : file->Finish(log);
  if (!written.ok()) return CouldNotRun(written);
  return log;
}

int RunReader(const RunFlags& flags) {
  absl::StatusOr<Selected> selected;
  if (flags.repro.empty()) {
    selected = Select(flags);
    if (!selected.ok()) return FailWith(selected.status());
    if (flags.list) return ListCases(*selected);
  }
  const absl::StatusOr<readers::Reader> reader = ReaderOf(flags.reader);
  if (!reader.ok()) return FailWith(reader.status());
  if (!flags.repro.empty()) return ShowRepro(flags, *reader);
  const auto limits = LimitsOf(flags.reader, *reader);
  if (!limits.ok()) return FailWith(limits.status());
  const auto known = KnownFailuresFile::Read(flags.known_failures, flags.fix);
  if (!known.ok()) return FailWith(known.status());
  const auto file = OpenLog(flags, *selected);
  if (!file.ok()) return FailWith(file.status());
  const absl::Status set_up = SetUp(*reader);
  if (!set_up.ok()) return FailWith(set_up);
  const absl::StatusOr<readers::Greeting> greeting = GreetingOf(*reader);
  if (!greeting.ok()) return FailWith(greeting.status());

  CatchInterrupts();
  readers::RunOptions options;
  options.reader = *reader;
  options.caps = greeting->caps;
  options.limits = *limits;
  const absl::StatusOr<RunLog> log =
      RunOver(flags, options, HeaderOf(flags, *reader, *greeting, *selected), *selected,
              known->list(), file->get());
  if (!log.ok()) return FailWith(log.status());
  if (!PrintReport(*log)) return kCouldNotRun;
  HintAtSmoke(*log);
  if (!log->footer->complete) {
    return FailWith(
        absl::UnavailableError(absl::StrCat("the run is incomplete: ", log->footer->why)));
  }
  return HandleKnown(*known, flags.fix, *selected, *log);
}

}  // namespace

void AddReadersRunCommand(CLI::App* readers, int* exit_code) {
  CLI::App* const run = readers->add_subcommand(
      "run",
      "Run a reader over the corpus and report what it accepts, rejects, misreads or crashes on.");
  const auto flags = std::make_shared<RunFlags>();
  AddReaderFlags(run, &flags->reader);
  run->add_option("SELECTOR", flags->selection.selectors,
                  "Run only cases whose section/name matches; * matches anything")
      ->type_name("");
  run->add_option(
         "--level", flags->selection.level,
         "must: only mandatory behaviour; should: also recommended behaviour; may: all (default)")
      ->check(CLI::IsMember({"must", "should", "may"}))
      ->type_name("LEVEL");
  run->add_flag("--small", flags->selection.small,
                "Skip files larger than 64 KiB, which take some minutes");
  AddValue(run, "--shard", &flags->shard, "K/N", OptionOf("shard").help);
  run->add_option("--jobs", flags->jobs, "Parallel reader processes (default: one per processor)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  run->add_option("--known-failures", flags->known_failures,
                  "A list of known failures; an outdated entry fails the run, too")
      ->type_name("FILE");
  run->add_flag("--fix", flags->fix, "Rewrite the list of --known-failures");
  run->add_option("--log", flags->log, "Write a log for ggufcheck readers report")
      ->type_name("FILE");
  run->add_flag("--list", flags->list, "List the cases without running them");
  run->add_option("--repro", flags->repro,
                  "Show how to reproduce one case: its command, bytes and text")
      ->type_name("ID");
  run->add_option("--cases", flags->cases,
                  "The folder with the cases (default: corpus/cases in the working directory or "
                  "its nearest parent)")
      ->type_name("DIR");
  run->footer(
      "Examples:\n"
      "  ggufcheck readers run --reader gguf-py --log gguf-py.ndjson\n"
      "  ggufcheck readers run --cmd './my-adapter' 'tensors/*' 'layout/*'\n"
      "  ggufcheck readers run --cmd 'my-tool {path}' --reject-exit 1,2\n"
      "\nExit codes: 0 as expected, 1 not as expected, 2 usage error, 3 could not run.");
  run->callback([flags, exit_code] { *exit_code = RunReader(*flags); });
}

}  // namespace gguf
