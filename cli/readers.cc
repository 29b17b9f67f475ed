// ggufcheck readers: conformance of third-party readers.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/reader_flags.h"
#include "cli/readers_run.h"
#include "cli/start_reader.h"
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
  CLI::App* const run = parent->add_subcommand(
      "run", "Run a reader over the corpus and report its failures.");
  const auto flags = std::make_shared<ReadersRunFlags>();
  AddReaderFlags(run, &flags->reader);
  run->add_option("SELECTOR", flags->selection.selectors,
                  "Only cases whose section/name is like that; * stands for "
                  "anything")
      ->type_name("");
  run->add_option("--level", flags->selection.level,
                  "must: only what a reader must do; should: also what it "
                  "should; may: all (default)")
      ->check(CLI::IsMember({"must", "should", "may"}))
      ->type_name("LEVEL");
  run->add_option("--shard", flags->shard, "A part of the cases: 1/4 to 4/4")
      ->type_name("I/N");
  run->add_option("--jobs", flags->jobs,
                  "Implementations to run in parallel (default: processors)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  run->add_option("--known-failures", flags->known_failures,
                  "A list of the failures that are known; one that is out of "
                  "date fails, too")
      ->type_name("FILE");
  run->add_flag("--fix", flags->fix, "Rewrite that list");
  run->add_option("--log", flags->log,
                  "Where to write the log, for ggufcheck readers report")
      ->type_name("FILE");
  run->add_flag("--list", flags->list, "Only list the cases");
  run->add_option("--repro", flags->repro,
                  "Only show a case: how to run it again, its bytes, its text")
      ->type_name("ID");
  run->add_option("--cases", flags->cases,
                  "The folder of the cases (default: the nearest "
                  "corpus/cases, here or above)")
      ->type_name("DIR");
  run->footer(
      "Examples:\n"
      "  ggufcheck readers run --reader gguf-py --log gguf-py.ndjson\n"
      "  ggufcheck readers run --cmd './my-adapter' 'tensors/*' 'layout/*'\n"
      "  ggufcheck readers run --cmd 'my-tool {path}' --reject-exit 1,2\n"
      "\nExit codes: 0 as expected, 1 not as expected, 2 usage, 3 could not "
      "run.");
  run->callback([flags, exit_code] { *exit_code = RunReader(*flags); });
}

void AddSmoke(CLI::App* parent, int* exit_code) {
  CLI::App* const smoke = parent->add_subcommand(
      "smoke", "Check that an adapter conforms to the protocol.");
  const auto flags = std::make_shared<ReaderFlags>();
  AddReaderFlags(smoke, flags.get());
  smoke->footer("Example:\n  ggufcheck readers smoke --cmd './my-adapter'");
  smoke->callback([flags, exit_code] { *exit_code = RunSmoke(*flags); });
}

}  // namespace

void AddReadersCommand(CLI::App* program, int* exit_code) {
  CLI::App* const command =
      program->add_subcommand("readers", "Conformance of third-party readers.");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  ggufcheck readers run --cmd './my-adapter'\n"
      "\nggufcheck readers COMMAND --help tells more.");
  AddRun(command, exit_code);
  AddSmoke(command, exit_code);
  AddReadersReportCommand(command, exit_code);
}

}  // namespace gguf
