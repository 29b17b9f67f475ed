// Assembles the command line from its subcommands.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/program.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "conformance/base/project.h"
#include "conformance/base/text_style.h"
#include "kernels/dispatch_target.h"

namespace gguf {
namespace {

// CLI11 neither wraps nor aligns to the terminal.
class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const size_t terminal = TerminalWidth();
    const size_t width = terminal == 0 ? 100 : terminal;
    std::string out;
    for (const absl::string_view line :
         absl::StrSplit(CLI::Formatter::make_help(app, name, mode), '\n')) {
      absl::StrAppend(&out, Wrap(line, width, width < 60 ? 4 : 32), "\n");
    }
    out.erase(out.find_last_not_of('\n') + 2);
    return out;
  }
};

}  // namespace

void BuildProgram(CLI::App* program, int* exit_code) {
  program->name("ggufcheck");
  program->description(
      "Checks GGUF model files: do they follow the specification, and are they safe to load?");
  program->formatter(std::make_shared<WrappingFormatter>());
  program->set_version_flag("--version", absl::StrCat("ggufcheck ", kToolVersion,
                                                      " (kernels: ", DispatchTargetName(), ")"));
  program->require_subcommand(1);
  program->footer(
      "Examples:\n"
      "  ggufcheck check model.gguf\n"
      "  ggufcheck explain tensor-offset-aligned\n"
      "\nSee ggufcheck COMMAND --help for details.");
  AddCheckCommand(program, exit_code);
  AddCompareCommand(program, exit_code);
  AddFixCommand(program, exit_code);
  AddMergeReportsCommand(program, exit_code);
  AddDumpCommand(program, exit_code);
  AddDequantizeCommand(program, exit_code);
  AddRenderCommand(program, exit_code);
  AddStatsCommand(program, exit_code);
  AddDigestCommand(program, exit_code);
  AddRulesCommand(program, exit_code);
  AddExplainCommand(program, exit_code);
  AddProfilesCommand(program, exit_code);
  AddConfigCommands(program, exit_code);
  AddCorpusCommand(program, exit_code);
  AddReadersCommand(program, exit_code);
}

}  // namespace gguf
