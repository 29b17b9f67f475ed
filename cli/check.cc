// ggufcheck check: the gate.
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>

#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/run_gate.h"
#include "cli/terminal.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

int RunCheck(const CLI::App& command, const CheckFlags& flags) {
  const auto request = MakeCheckRequest(flags);
  if (!request.ok()) return FailWith(request.status());
  for (const std::string& line : request->config->config.warnings) {
    PrintError(Visible(line));
  }
  const int code = RunGate(*request, flags.report, command);
  return code == kFindings && flags.exit_zero ? kOk : code;
}

}  // namespace

void AddCheckCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program->add_subcommand(
      "check", "Check model files; the exit code gives the verdict.");
  AddCheckFlags(command, flags.get());
  command->footer(
      "Exit codes:\n"
      "  0  all files were checked; no findings at or above --fail-on, or "
      "--exit-zero\n"
      "  1  findings at or above --fail-on\n"
      "  2  invalid command line, configuration or baseline\n"
      "  3  the check did not complete: a missing file, a limit, an "
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
      "  ggufcheck check --format ndjson --shard 1/8 models\n"
      "  ggufcheck check --digest model.digest.json model.gguf\n"
      "  ggufcheck check --header-only --size 4368438944 - < first-bytes\n"
      "  ggufcheck check 'https://example.com/model.gguf'\n"
      "  zcat model.gguf.gz | ggufcheck check -");
  command->callback(
      [flags, command, exit_code] { *exit_code = RunCheck(*command, *flags); });
}

}  // namespace gguf
