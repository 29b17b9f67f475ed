// The options are the flags of the program.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_split.h"
#include "api/ggufcheck.h"
#include "cli/program.h"
#include "conformance/check/option_table.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

std::vector<std::string> Flags() {
  CLI::App program;
  int exit_code = 0;
  BuildProgram(&program, &exit_code);
  std::vector<std::string> names;
  for (const CLI::Option* option : program.get_subcommand("check")->get_options()) {
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
    EXPECT_EQ(std::string(ggufcheck_last_error()).find("unknown option"), std::string::npos)
        << name;
  }
  ggufcheck_options_free(options);
}

TEST(OptionsTest, EachOptionIsAFlag) {
  const std::vector<std::string> flags = Flags();
  for (const CheckOption& option : AllCheckOptions()) {
    EXPECT_EQ(std::count(flags.begin(), flags.end(), option.name), 1) << option.name;
  }
}

TEST(OptionsTest, ThePythonModuleRefusesWhatTheLibraryDoes) {
  std::ifstream file("api/python/ggufcheck/_program.py");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string kBegin = "_REFUSED = (";
  text.erase(0, text.find(kBegin) + kBegin.size());
  text.erase(text.find(')'));
  const std::set<std::string> refused =
      absl::StrSplit(text, absl::ByAnyChar(" \"\n"), absl::SkipEmpty());
  std::set<std::string> expected = {"help"};
  for (const CheckOption& option : AllCheckOptions()) {
    if (option.why_not_in_library != nullptr) expected.insert(option.name);
  }
  EXPECT_EQ(refused, expected);
}

}  // namespace
}  // namespace gguf
