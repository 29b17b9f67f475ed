// Commands, and readers.toml.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/reader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::ElementsAre;

TEST(SplitCommandTest, WordsAsInAShell) {
  EXPECT_THAT(SplitCommand("  prog  --flag=1\t{path} ").value(),
              ElementsAre("prog", "--flag=1", "{path}"));
  EXPECT_THAT(SplitCommand(R"('a b' "c d" e" f"g '')").value(),
              ElementsAre("a b", "c d", "e fg", ""));
  EXPECT_THAT(SplitCommand(R"(a\ b "\"" '\' \\)").value(), ElementsAre("a b", "\"", "\\", "\\"));
  EXPECT_FALSE(SplitCommand("").ok());
  EXPECT_FALSE(SplitCommand("  ").ok());
  EXPECT_FALSE(SplitCommand("prog 'open").ok());
}

TEST(ShellLineTest, IsSplitIntoTheSameWords) {
  const std::vector<std::string> command = {"prog", "",      "a b", "it's",      "\"",
                                            "\\",   "$HOME", "*",   "--x={path}"};
  EXPECT_EQ(ShellLine(command), R"(prog '' 'a b' 'it'\''s' '"' '\' '$HOME' '*' --x={path})");
  EXPECT_EQ(SplitCommand(ShellLine(command)).value(), command);
}

TEST(ParseExitCodesTest, NumbersWithCommas) {
  EXPECT_THAT(ParseExitCodes("0").value(), ElementsAre(0));
  EXPECT_THAT(ParseExitCodes("1,2,255").value(), ElementsAre(1, 2, 255));
  for (const char* bad : {"", "a", "1,", "256", "-1", "1 2"}) {
    EXPECT_FALSE(ParseExitCodes(bad).ok()) << bad;
  }
}

TEST(PortableCommandTest, NamesNoPathOfThisMachine) {
  const std::string here = std::filesystem::current_path().string();
  Reader reader;
  reader.command = {"/usr/bin/python3", here + "/adapters/a.py", here, "/home/me/b.py", "b.py",
                    "--level=3",        "/home/me/x/../c/"};
  EXPECT_THAT(PortableCommand(reader),
              ElementsAre("/usr/bin/python3", "./adapters/a.py", ".", "/path/to/b.py", "b.py",
                          "--level=3", "/path/to/"));
}

TEST(ReaderTest, IsBareWithAPathInItsCommand) {
  Reader reader;
  reader.command = {"prog"};
  EXPECT_FALSE(reader.bare());
  reader.command = {"prog", "--in={path}"};
  EXPECT_TRUE(reader.bare());
}

using testing::ElementsAre;
using testing::HasSubstr;

class ReadersTomlTest : public testing::Test {
 protected:
  absl::StatusOr<Reader> Read(absl::string_view text, absl::string_view name = "toy") {
    std::ofstream(path_) << text;
    return ReadReader(path_, name);
  }
  std::string Error(absl::string_view text) {
    const auto reader = Read(text);
    EXPECT_TRUE(absl::IsInvalidArgument(reader.status())) << text;
    return std::string(reader.status().message());
  }

  const std::string path_ = testing::TempDir() + "/readers.toml";
};

TEST_F(ReadersTomlTest, EveryKey) {
  setenv("TOY_HOME", "/home/toy", 1);
  unsetenv("TOY_NONE");
  const Reader reader = Read(R"(
[readers.other]
command = ["${TOY_NONE}"]

[readers.toy]
command = ["${TOY_HOME}/bin", "--x=${TOY_NONE:-1}"]
setup = ["sh", "install.sh"]
environment = { TOY = "${TOY_HOME}" }
capabilities = "kv,tensors"
sanitizer = "asan+ubsan"
memory_mib = 1
address_space_mib = 0
accept_exit = "0,3"
reject_exit = "1,2"
)")
                            .value();
  EXPECT_EQ(reader.name, "toy");
  EXPECT_THAT(reader.command, ElementsAre("/home/toy/bin", "--x=1"));
  EXPECT_THAT(reader.setup, ElementsAre("sh", "install.sh"));
  EXPECT_EQ(reader.environment.at("TOY"), "/home/toy");
  EXPECT_EQ(reader.capabilities, "kv,tensors");
  EXPECT_EQ(reader.sanitizer, "asan+ubsan");
  EXPECT_EQ(reader.memory, 1u << 20);
  EXPECT_EQ(reader.address_space, 0u);
  EXPECT_THAT(reader.accept_exit, ElementsAre(0, 3));
  EXPECT_THAT(reader.reject_exit, ElementsAre(1, 2));
  EXPECT_TRUE(std::filesystem::equivalent(reader.folder, testing::TempDir()));
}

TEST_F(ReadersTomlTest, ErrorsNameTheLine) {
  unsetenv("TOY_NONE");
  const struct {
    const char* line;  // The second line of the table.
    const char* error;
  } rows[] = {
      {"colour = 1", "3: unknown key \"colour\"; "},
      {"sanitizer = \"asam\"", "3: \"sanitizer\" must be one of none, asan"},
      {"capabilities = \"kv,tensor\"", "3: "},
      {"memory_mib = -1", "3: \"memory_mib\" must be a non-negative integer"},
      {"memory_mib = 9000000000", "3: \"memory_mib\" must be at most"},
      {"reject_exit = \"x\"", "3: invalid exit codes"},
      {"setup = [\"${TOY_NONE}\"]", "3: the variable \"TOY_NONE\" is not set in the environment"},
      {"setup = [\"${TOY\"]", "3: unclosed ${"},
      {"environment = { A = 1 }", "3: \"A\" must be a string"},
  };
  for (const auto& [line, error] : rows) {
    EXPECT_THAT(Error(absl::StrCat("[readers.toy]\ncommand = [\"x\"]\n", line, "\n")),
                HasSubstr(absl::StrCat("readers.toml:", error)));
  }
  EXPECT_THAT(Error("[readers.toy]\nsetup = [\"x\"]\n"), HasSubstr("missing key \"command\""));
  EXPECT_THAT(Error("[readers.toy]\ncommand = []\n"), HasSubstr(":2: the command is empty"));
  EXPECT_THAT(Error("[readers.a]\ncommand = [\"x\"]\n"),
              HasSubstr("has no reader \"toy\"; it has a"));
  EXPECT_THAT(Error("[reader.toy]\ncommand = [\"x\"]\n"), HasSubstr("did you mean readers?"));
}

TEST_F(ReadersTomlTest, AMistakeInAnyTableIsAnError) {
  EXPECT_THAT(Error("[readers.toy]\ncommand = [\"x\"]\n[readers.other]\n"
                    "command = [\"x\"]\nmemory = 1\n"),
              HasSubstr(":5: unknown key \"memory\"; "));
}

TEST_F(ReadersTomlTest, MissingFile) {
  EXPECT_FALSE(absl::IsInvalidArgument(ReadReader("/no/such/readers.toml", "toy").status()));
}

}  // namespace

}  // namespace gguf::readers
