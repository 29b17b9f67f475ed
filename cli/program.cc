// Assembles the command line from its subcommands.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/program.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
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
  explicit WrappingFormatter(size_t names) { column_width(names); }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const size_t terminal = TerminalWidth();
    const size_t width = terminal == 0 ? 100 : terminal;
    std::string out;
    for (const absl::string_view line :
         absl::StrSplit(CLI::Formatter::make_help(app, name, mode), '\n')) {
      absl::StrAppend(&out, Wrap(line, width, width < 60 ? 4 : get_column_width() + 2), "\n");
    }
    out.erase(out.find_last_not_of('\n') + 2);
    return out;
  }
};

// main() makes `COMMAND --help` of this one.
void AddHelpCommand(CLI::App* program, int*) {
  CLI::App* command = program->add_subcommand("help", "Explain a command and its flags.");
  command->add_option("COMMAND", "A command, such as check, or readers run");
  command->footer("Example:\n  ggufcheck help readers run");
}

// The commands by what one wants.
struct Group {
  const char* title;
  std::vector<void (*)(CLI::App* program, int* exit_code)> commands;
};

}  // namespace

void BuildProgram(CLI::App* program, int* exit_code) {
  program->name("ggufcheck");
  program->description("Finds what is wrong with GGUF model files, and says how to repair it.");
  program->formatter(std::make_shared<WrappingFormatter>(30));  // Also of the commands.
  program->set_version_flag("--version", absl::StrCat("ggufcheck ", kToolVersion,
                                                      " (kernels: ", DispatchTargetName(), ")"));
  program->require_subcommand(1);
  program->footer(
      "Examples:\n"
      "  ggufcheck model.gguf                         (the same as ggufcheck check)\n"
      "  ggufcheck explain tensor-offset-aligned\n"
      "\nSee ggufcheck help COMMAND for details.");
  const Group groups[] = {
      {"Check files",
       {AddCheckCommand, AddCompareCommand, AddMergeReportsCommand, AddConfigCommands}},
      {"Look into a file",
       {AddShowCommand, AddRenderCommand, AddDumpCommand, AddStatsCommand, AddDigestCommand,
        AddDequantizeCommand}},
      {"Mend a file", {AddFixCommand}},
      {"Test a reader", {AddReadersCommand, AddCorpusCommand}},
      {"Learn the rules", {AddExplainCommand, AddRulesCommand, AddProfilesCommand, AddHelpCommand}},
  };
  for (const Group& group : groups) {
    const size_t before = program->get_subcommands({}).size();
    for (const auto add : group.commands) add(program, exit_code);
    const std::vector<CLI::App*> all = program->get_subcommands({});
    for (size_t i = before; i < all.size(); ++i) all[i]->group(group.title);
  }
  program->formatter(std::make_shared<WrappingFormatter>(16));
}

}  // namespace gguf
