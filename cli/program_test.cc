// SPDX-License-Identifier: Apache-2.0

#include "cli/program.h"

#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

const auto kAll = [](const CLI::App*) { return true; };

// Calls `look(command, its help)` for a command and those in it.
template <class Look>
void ForEachCommand(const CLI::App& command, const Look& look) {
  look(command, command.help("", CLI::AppFormatMode::Normal));
  for (const CLI::App* sub : command.get_subcommands(kAll)) {
    ForEachCommand(*sub, look);
  }
}

TEST(ProgramTest, HelpFitsAHundredColumns) {
  CLI::App program;
  int exit_code = 0;
  BuildProgram(&program, &exit_code);
  int lines = 0;
  ForEachCommand(program, [&](const CLI::App& command, const std::string& help) {
    for (const absl::string_view line : absl::StrSplit(help, '\n')) {
      EXPECT_LE(line.size(), 100) << command.get_name() << ": " << line;
      ++lines;
    }
  });
  EXPECT_GT(lines, 200);
}

TEST(ProgramTest, HelpHasAnExampleThatNamesTheCommand) {
  CLI::App program;
  int exit_code = 0;
  BuildProgram(&program, &exit_code);
  int commands = 0;
  ForEachCommand(program, [&](const CLI::App& command, const std::string& help) {
    const size_t begin = help.find("\nExample");
    ASSERT_NE(begin, std::string::npos) << command.get_name();
    EXPECT_TRUE(absl::StrContains(help.substr(begin), command.get_name())) << command.get_name();
    ++commands;
  });
  EXPECT_GT(commands, 15);
}

TEST(ProgramTest, EveryFlagAndArgumentIsExplained) {
  CLI::App program;
  int exit_code = 0;
  BuildProgram(&program, &exit_code);
  ForEachCommand(program, [](const CLI::App& command, const std::string&) {
    EXPECT_NE(command.get_description(), "") << command.get_name();
    for (const CLI::Option* option : command.get_options()) {
      EXPECT_NE(option->get_description(), "")
          << command.get_name() << " " << option->get_name(true, true);
    }
  });
}

}  // namespace
}  // namespace gguf
