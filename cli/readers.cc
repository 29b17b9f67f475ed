// ggufcheck readers: conformance of third-party readers.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/reader_flags.h"
#include "cli/terminal.h"
#include "conformance/readers/run/runner.h"

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
  return smoke->adapter_faults == 0 ? kOk : kFindings;
}

void AddSmoke(CLI::App* parent, int* exit_code) {
  CLI::App* const smoke =
      parent->add_subcommand("smoke", "Check that an adapter follows the protocol.");
  const auto flags = std::make_shared<ReaderFlags>();
  AddReaderFlags(smoke, flags.get());
  smoke->footer("Example:\n  ggufcheck readers smoke --cmd './my-adapter'");
  smoke->callback([flags, exit_code] { *exit_code = RunSmoke(*flags); });
}

}  // namespace

void AddReadersCommand(CLI::App* program, int* exit_code) {
  CLI::App* const command = program->add_subcommand("readers", "Test the conformance of readers.");
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  ggufcheck readers run --cmd './my-adapter'\n"
      "\nSee ggufcheck readers COMMAND --help for details.");
  AddReadersRunCommand(command, exit_code);
  AddSmoke(command, exit_code);
  AddReadersReportCommand(command, exit_code);
}

}  // namespace gguf
