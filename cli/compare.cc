// ggufcheck compare: is the file made from what it claims?
//
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/run_gate.h"
#include "cli/terminal.h"
#include "conformance/engine/catalogue.h"
#include "conformance/engine/profile.h"
#include "conformance/rules/compare/compare_rules.h"

namespace gguf {
namespace {

// Returns the rules of comparisons, and those without which a file cannot be
// read.
std::string SelectedRules() {
  std::vector<const char*> ids;
  for (const Rule* rule : CompareRules()) ids.push_back(rule->id);
  const Profile& profile = *Profile::Find(Profile::kDefault);
  for (const Check& check : Catalogue()) {
    const bool is_of_parser = check.run == nullptr;
    if (is_of_parser && profile.SeverityOf(*check.rule) != Severity::kOff) {
      ids.push_back(check.rule->id);
    }
  }
  return absl::StrJoin(ids, ",");
}

int RunCompare(const CLI::App& command, CheckFlags flags) {
  const bool has_source = !flags.source.empty();
  if (flags.paths.size() < (has_source ? 1 : 2)) {
    PrintError("compare needs BASE and FILE, or --source DIR and FILE");
    return kUsage;
  }
  if (!has_source) {
    flags.compare_base = flags.paths.front();
    flags.paths.erase(flags.paths.begin());
  }
  flags.no_config = true;
  flags.settings.select = {SelectedRules()};
  const auto request = MakeCheckRequest(flags);
  if (!request.ok()) return FailWith(request.status());
  return RunGate(*request, flags.report, command);
}

}  // namespace

void AddCompareCommand(CLI::App* program, int* exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = program->add_subcommand(
      "compare", "Check that model files were made from the model they claim.");
  AddCompareFlags(command, flags.get());
  command->footer(
      "BASE is a GGUF file of higher precision, or one of its shards.  The "
      "weights of FILE\nmay differ from it by what their types lose, and its "
      "keys by what a quantizer writes.\nWith --source, the files of a "
      "Hugging Face folder take the place of BASE: keys, tokens\nand shapes "
      "are compared, weights are not.  Exit codes are those of check.\n"
      "\nExamples:\n"
      "  ggufcheck compare model-F16.gguf model-Q4_K_M.gguf\n"
      "  ggufcheck compare model-BF16-00001-of-00003.gguf quantized/\n"
      "  ggufcheck compare --source Qwen3-0.6B model-Q4_K_M.gguf\n"
      "  ggufcheck compare --format json model-F16.gguf model-Q8_0.gguf");
  command->callback([flags, command, exit_code] {
    *exit_code = RunCompare(*command, *flags);
  });
}

}  // namespace gguf
