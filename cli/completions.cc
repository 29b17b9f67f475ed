// Prints the completions of the command line for a shell: bash, zsh or fish.
//
// SPDX-License-Identifier: Apache-2.0

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "cli/program.h"

namespace gguf {
namespace {

struct Flag {
  std::string name;  // "--profile".
  std::string help;
  bool has_value;
};

struct Command {
  std::string path;  // "readers run"; empty for the program.
  std::vector<Flag> flags;
  std::vector<const CLI::App*> subcommands;
};

// Returns the first line of a command's help.
std::string Summary(const CLI::App& app) {
  const std::string help = app.get_description();
  return help.substr(0, help.find('\n'));
}

void Collect(const CLI::App& app, const std::string& path, std::vector<Command>* commands) {
  Command command = {path, {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      command.flags.push_back(
          {absl::StrCat("--", name), option->get_description(), option->get_type_size() > 0});
    }
  }
  command.subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  commands->push_back(command);
  for (const CLI::App* sub : command.subcommands) {
    Collect(*sub, absl::StrCat(path, path.empty() ? "" : " ", sub->get_name()), commands);
  }
}

// Returns the words after a command, separated by spaces.
std::string Words(const Command& command) {
  std::vector<std::string> words;
  for (const CLI::App* sub : command.subcommands) {
    words.push_back(sub->get_name());
  }
  for (const Flag& flag : command.flags) words.push_back(flag.name);
  return absl::StrJoin(words, " ");
}

// Returns a shell pattern that matches the path of every command.
std::string AnyCommand(const std::vector<Command>& commands) {
  std::vector<std::string> paths;
  for (const Command& command : commands) {
    if (!command.path.empty()) {
      paths.push_back(absl::StrCat("'", command.path, "'"));
    }
  }
  return absl::StrJoin(paths, " | ");
}

// Returns the loop that finds the command in the words before the current one;
// bash and zsh understand it.
std::string FindCommand(const std::vector<Command>& commands, absl::string_view words) {
  return absl::StrCat("  for word in ", words,
                      "; do\n"
                      "    case \"${command:+$command }$word\" in\n      ",
                      AnyCommand(commands),
                      ") command=${command:+$command }$word ;;\n"
                      "    esac\n  done\n");
}

std::string Bash(const std::vector<Command>& commands) {
  std::string out = absl::StrCat(
      "# Completions of ggufcheck for bash.\n_ggufcheck() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} command= word words=\n",
      FindCommand(commands, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\""), "  case \"$command\" in\n");
  for (const Command& command : commands) {
    absl::StrAppend(&out, "    '", command.path, "') words='", Words(command), "' ;;\n");
  }
  absl::StrAppend(&out,
                  "  esac\n"
                  "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                  "  [[ $current == -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "
                  "-f -- \"$current\")\n"
                  "}\n"
                  "complete -o filenames -F _ggufcheck ggufcheck\n");
  return out;
}

// Returns a help text as a part of a specification of _arguments or _describe.
std::string ZshText(const std::string& text) {
  return absl::StrReplaceAll(
      text,
      {{"'", "'\\''"}, {"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}, {"\n", " "}});
}

std::string Zsh(const std::vector<Command>& commands) {
  std::string out = absl::StrCat(
      "#compdef ggufcheck\n# Completions of ggufcheck for zsh.\n"
      "_ggufcheck() {\n  local command= word\n  local -a commands\n",
      FindCommand(commands, "\"${(@)words[2,CURRENT-1]}\""), "  case \"$command\" in\n");
  for (const Command& command : commands) {
    absl::StrAppend(&out, "    '", command.path, "')\n");
    if (!command.subcommands.empty()) {
      absl::StrAppend(&out, "      commands=(\n");
      for (const CLI::App* sub : command.subcommands) {
        absl::StrAppend(&out, "        '", sub->get_name(), ":", ZshText(Summary(*sub)), "'\n");
      }
      absl::StrAppend(&out, "      )\n      _describe command commands\n      ;;\n");
      continue;
    }
    absl::StrAppend(&out, "      _arguments");
    for (const Flag& flag : command.flags) {
      absl::StrAppend(&out, " \\\n        '*", flag.name, flag.has_value ? "=" : "", "[",
                      ZshText(flag.help), "]", flag.has_value ? ":value:_files" : "", "'");
    }
    absl::StrAppend(&out, " \\\n        '*:file:_files'\n      ;;\n");
  }
  absl::StrAppend(&out, "  esac\n}\n_ggufcheck \"$@\"\n");
  return out;
}

std::string FishText(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}, {"\n", " "}});
}

std::string Fish(const std::vector<Command>& commands) {
  std::string out = "# Completions of ggufcheck for fish.\n";
  for (const Command& command : commands) {
    std::string condition;
    for (const std::string& word : CLI::detail::split(command.path, ' ')) {
      if (word.empty()) continue;
      absl::StrAppend(&condition, condition.empty() ? "" : "; and ", "__fish_seen_subcommand_from ",
                      word);
    }
    std::vector<std::string> names;
    for (const CLI::App* sub : command.subcommands) {
      names.push_back(sub->get_name());
    }
    if (!names.empty()) {
      absl::StrAppend(&condition, condition.empty() ? "" : "; and ",
                      "not __fish_seen_subcommand_from ", absl::StrJoin(names, " "));
    }
    const std::string prefix = absl::StrCat("complete -c ggufcheck -n '", condition, "'");
    for (const CLI::App* sub : command.subcommands) {
      absl::StrAppend(&out, prefix, " -f -a ", sub->get_name(), " -d '", FishText(Summary(*sub)),
                      "'\n");
    }
    for (const Flag& flag : command.flags) {
      absl::StrAppend(&out, prefix, " -l ", flag.name.substr(2), flag.has_value ? " -r" : "",
                      " -d '", FishText(flag.help), "'\n");
    }
  }
  return out;
}

// Returns the script for a shell; empty if the shell is unknown.
std::string Completions(absl::string_view shell) {
  CLI::App program;
  int unused;
  BuildProgram(&program, &unused);
  std::vector<Command> commands;
  Collect(program, "", &commands);
  if (shell == "bash") return Bash(commands);
  if (shell == "zsh") return Zsh(commands);
  if (shell == "fish") return Fish(commands);
  return "";
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  try {
    const std::string script = gguf::Completions(argc == 2 ? argv[1] : "");
    if (script.empty()) {
      std::cerr << "usage: completions bash|zsh|fish\n";
      return 2;
    }
    std::cout << script;
  } catch (const std::exception& error) {
    std::cerr << "completions: " << error.what() << "\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
