// The options are the flags of the program.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "api/ggufcheck.h"
#include "cli/program.h"
#include "conformance/gate/check_settings.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

std::vector<std::string> Flags() {
  CLI::App program;
  int exit_code = 0;
  BuildProgram(&program, &exit_code);
  std::vector<std::string> names;
  for (const CLI::Option* option :
       program.get_subcommand("check")->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help") names.push_back(name);
    }
  }
  return names;
}

TEST(OptionsTest, EachFlagIsAnOptionOrOfTheProgramOnly) {
  ggufcheck_options* options = ggufcheck_options_new();
  for (const std::string& name : Flags()) {
    ggufcheck_options_set(options, name.c_str(), "no");
    EXPECT_EQ(std::string(ggufcheck_last_error()).find("unknown option"),
              std::string::npos)
        << name;
  }
  ggufcheck_options_free(options);
}

TEST(OptionsTest, EachOptionIsAFlag) {
  const std::vector<std::string> flags = Flags();
  for (const CheckOption& option : CheckOptions()) {
    EXPECT_EQ(std::count(flags.begin(), flags.end(), option.name), 1)
        << option.name;
  }
}

}  // namespace
}  // namespace gguf
