// ggufcheck: the program.
//
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <exception>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "parser/quote.h"

namespace gguf {
namespace {

// A command or flag that there is not: CLI11 would blame a missing argument.
std::string FindUnknown(const CLI::App& program, int argc, char** argv) {
  const CLI::App* command = &program;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--") break;
    if (arg.size() < 2 || arg[0] != '-') {
      if (command->get_require_subcommand_min() == 0) continue;
      const auto found = command->get_subcommands(
          [&](const CLI::App* sub) { return sub->get_name() == arg; });
      if (found.empty()) return arg;
      command = found.front();
      continue;
    }
    const std::string flag = arg.substr(0, arg.find('='));
    const CLI::Option* option = command->get_option_no_throw(flag);
    if (option == nullptr) return flag;
    if (flag == arg && option->get_type_size() > 0) ++i;  // Its value.
  }
  return "";
}

// "; see ggufcheck COMMAND --help", of the command that was said.
std::string SeeHelp(const CLI::App& program) {
  std::string command = "ggufcheck";
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    absl::StrAppend(&command, " ", at->get_name());
  }
  return absl::StrCat("; see ", command, " --help");
}

int RunProgram(int argc, char** argv) {
  CLI::App program;
  int exit_code = kOk;
  BuildProgram(&program, &exit_code);

  const std::string unknown = FindUnknown(program, argc, argv);
  if (!unknown.empty()) {
    PrintError(absl::StrCat("there is no ",
                            unknown[0] == '-' ? "flag " : "command ",
                            Quote(unknown), "; see ggufcheck --help"));
    return kUsage;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version) == 0 ? kOk : kCouldNotRun;
  } catch (const CLI::ParseError& error) {
    PrintError(absl::StrCat(Escape(error.what(), 1000), SeeHelp(program)));
    return kUsage;
  }
  return exit_code;
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);  // A closed pipe is an error of writing.
  try {
    return gguf::RunProgram(argc, argv);
  } catch (const std::exception& error) {  // Out of memory, above all.
    gguf::PrintError(absl::StrCat("internal error: ", error.what()));
    return gguf::kCouldNotRun;
  }
}
