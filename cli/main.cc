// ggufcheck: the program.
//
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "conformance/base/text.h"
#include "conformance/check/option_table.h"

namespace gguf {
namespace {

// An unknown command or flag.
struct Unknown {
  const CLI::App* command;  // The innermost one before it.
  std::string name;
};

// Finds the first unknown command or flag.  CLI11 would report a missing
// argument instead.
std::optional<Unknown> FindUnknown(const CLI::App& program, int argc, char** argv) {
  const CLI::App* command = &program;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--") break;
    if (arg.size() < 2 || arg[0] != '-') {
      if (command->get_require_subcommand_min() == 0) continue;
      const auto found =
          command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == arg; });
      if (found.empty()) return Unknown{command, arg};
      command = found.front();
      continue;
    }
    const std::string flag = arg.substr(0, arg.find('='));
    const CLI::Option* option = command->get_option_no_throw(flag);
    if (option == nullptr) return Unknown{command, flag};
    if (flag == arg && option->get_type_size() > 0) ++i;  // Its value.
  }
  return std::nullopt;
}

// Returns "; see ggufcheck COMMAND --help".
std::string SeeHelp(const CLI::App* command) {
  std::string names;
  for (; command != nullptr; command = command->get_parent()) {
    names = absl::StrCat(command->get_name(), " ", names);
  }
  return absl::StrCat("; see ", names, "--help");
}

// Returns the innermost subcommand that was parsed.
const CLI::App* Innermost(const CLI::App* command) {
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
  }
  return command;
}

int FailOver(const Unknown& unknown) {
  const bool is_flag = unknown.name[0] == '-';
  std::vector<std::string> known;
  if (is_flag) {
    for (const CLI::Option* option : unknown.command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        known.push_back(name);
      }
    }
  } else {
    for (const CLI::App* command :
         unknown.command->get_subcommands([](const CLI::App*) { return true; })) {
      known.push_back(command->get_name());
    }
  }
  const absl::string_view dashes = is_flag ? "--" : "";
  const std::string closest =
      ClosestWord(absl::StripPrefix(unknown.name, dashes),
                  std::vector<absl::string_view>(known.begin(), known.end()));
  PrintError(absl::StrCat("unknown ", is_flag ? "flag " : "command ", Quote(unknown.name),
                          closest.empty() ? SeeHelp(unknown.command)
                                          : absl::StrCat("; did you mean ", dashes, closest, "?")));
  return kUsage;
}

// Opens /dev/null for those of the descriptors 0 to 2 that are closed.
// Otherwise a report would get one of them, and messages would be written into
// it.
void OpenStandardFiles() {
  int fd;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

// Returns whether an argument names a file, a directory or a URL rather than a command.
bool IsPath(const std::string& arg) {
  std::error_code ignored;
  return arg == "-" || arg.find_first_of("/\\") != arg.npos || absl::EndsWith(arg, ".gguf") ||
         (arg[0] != '-' && std::filesystem::exists(arg, ignored));
}

// Returns the arguments, with the command "check" if the first one is not a command but a path,
// and with `COMMAND --help` for `help COMMAND`.
std::vector<std::string> WithCommand(const CLI::App& program, std::vector<std::string> args) {
  if (args.size() < 2 || args[1].empty()) return args;
  const bool is_command =
      !program.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == args[1]; })
           .empty();
  if (args[1] == "help" && (args.size() == 2 || !absl::StartsWith(args[2], "-"))) {
    args.erase(args.begin() + 1);
    args.push_back("--help");
  } else if (!is_command && IsPath(args[1])) {
    args.insert(args.begin() + 1, "check");
  }
  return args;
}

// Joins --readers and a following llama.cpp@VERSION: a flag that may stand
// alone takes its value only after =.
std::vector<std::string> JoinVersion(int argc, char** argv) {
  std::vector<std::string> args;
  for (int i = 0; i < argc; ++i) {
    const bool joins =
        !args.empty() && args.back() == "--readers" && absl::StartsWith(argv[i], kReaderVersion);
    if (joins) {
      absl::StrAppend(&args.back(), "=", argv[i]);
    } else {
      args.push_back(argv[i]);
    }
  }
  return args;
}

int RunProgram(int argc, char** argv) {
  CLI::App program;
  int exit_code = kOk;
  BuildProgram(&program, &exit_code);
  std::vector<std::string> args = WithCommand(program, JoinVersion(argc, argv));
  std::vector<char*> words;
  for (std::string& arg : args) words.push_back(arg.data());
  argc = static_cast<int>(words.size());
  argv = words.data();

  const std::optional<Unknown> unknown = FindUnknown(program, argc, argv);
  if (unknown) return FailOver(*unknown);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version) == 0 ? kOk : kCouldNotRun;
  } catch (const CLI::ParseError& error) {
    const std::string what = Visible(error.what());
    PrintError(absl::EndsWith(what, "?") ? what : absl::StrCat(what, SeeHelp(Innermost(&program))));
    return kUsage;
  }
  return exit_code;
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  // A closed pipe, and a file beyond `ulimit -f`, become write errors.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  gguf::OpenStandardFiles();
  try {
    return gguf::RunProgram(argc, argv);
  } catch (const std::exception& error) {  // Mostly out of memory.
    gguf::PrintError(absl::StrCat("internal error: ", error.what()));
    return gguf::kCouldNotRun;
  }
}
