// ggufcheck readers: conformance of third-party readers.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/reader_flags.h"
#include "cli/readers_run.h"
#include "cli/terminal.h"
#include "conformance/readers/run/smoke.h"

namespace gguf {
namespace {

int RunSmoke(const ReaderFlags& flags) {
  const auto reader = ReaderOf(flags);
  if (!reader.ok()) return FailWith(reader.status());
  const auto limits = LimitsOf(flags, *reader);
  if (!limits.ok()) return FailWith(limits.status());
  const absl::Status set_up = SetUp(*reader);
  if (!set_up.ok()) return FailWith(set_up);
  const auto smoke = readers::RunSmoke(*reader, *limits);
  if (!smoke.ok()) {
    return FailWith(absl::UnavailableError(smoke.status().message()));
  }
  if (!Print(smoke->transcript)) return kCouldNotRun;
  return smoke->mistakes == 0 ? kOk : kFindings;
}

void AddRun(CLI::App* parent, int* exit_code) {
  CLI::App* const run =
      parent->add_subcommand("run",
                             "Run a reader over the corpus and report what it "
                             "accepts, rejects, misreads or crashes on.");
  const auto flags = std::make_shared<ReadersRunFlags>();
  AddReaderFlags(run, &flags->reader);
  run->add_option("SELECTOR", flags->selection.selectors,
                  "Run only cases whose section/name matches; * matches "
                  "anything")
      ->type_name("");
  run->add_option("--level", flags->selection.level,
                  "must: only mandatory behaviour; should: also recommended "
                  "behaviour; may: all (default)")
      ->check(CLI::IsMember({"must", "should", "may"}))
      ->type_name("LEVEL");
  run->add_option("--shard", flags->shard, "A part of the cases: 1/4 to 4/4")
      ->type_name("I/N");
  run->add_option("--jobs", flags->jobs,
                  "Parallel reader processes (default: one per processor)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  run->add_option(
         "--known-failures", flags->known_failures,
         "A list of known failures; an outdated entry fails the run, too")
      ->type_name("FILE");
  run->add_flag("--fix", flags->fix, "Rewrite the list of --known-failures");
  run->add_option("--log", flags->log,
                  "Write a log for ggufcheck readers report")
      ->type_name("FILE");
  run->add_flag("--list", flags->list, "List the cases without running them");
  run->add_option("--repro", flags->repro,
                  "Show how to reproduce one case: its command, bytes and text")
      ->type_name("ID");
  run->add_option("--cases", flags->cases,
                  "The folder with the cases (default: corpus/cases in the "
                  "working directory or its nearest parent)")
      ->type_name("DIR");
  run->footer(
      "Examples:\n"
      "  ggufcheck readers run --reader gguf-py --log gguf-py.ndjson\n"
      "  ggufcheck readers run --cmd './my-adapter' 'tensors/*' 'layout/*'\n"
      "  ggufcheck readers run --cmd 'my-tool {path}' --reject-exit 1,2\n"
      "\nExit codes: 0 as expected, 1 not as expected, 2 usage error, 3 could "
      "not run.");
  run->callback([flags, exit_code] { *exit_code = RunReader(*flags); });
}

void AddSmoke(CLI::App* parent, int* exit_code) {
  CLI::App* const smoke = parent->add_subcommand(
      "smoke", "Check that an adapter follows the protocol.");
  const auto flags = std::make_shared<ReaderFlags>();
  AddReaderFlags(smoke, flags.get());
  smoke->footer("Example:\n  ggufcheck readers smoke --cmd './my-adapter'");
  smoke->callback([flags, exit_code] { *exit_code = RunSmoke(*flags); });
}

}  // namespace

void AddReadersCommand(CLI::App* program, int* exit_code) {
  CLI::App* const command =
      program->add_subcommand("readers", "Test the conformance of readers.");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  ggufcheck readers run --cmd './my-adapter'\n"
      "\nSee ggufcheck readers COMMAND --help for details.");
  AddRun(command, exit_code);
  AddSmoke(command, exit_code);
  AddReadersReportCommand(command, exit_code);
}

}  // namespace gguf
