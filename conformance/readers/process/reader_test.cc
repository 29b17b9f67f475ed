// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/reader.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
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
  EXPECT_THAT(SplitCommand(R"(a\ b "\"" '\' \\)").value(),
              ElementsAre("a b", "\"", "\\", "\\"));
  EXPECT_FALSE(SplitCommand("").ok());
  EXPECT_FALSE(SplitCommand("  ").ok());
  EXPECT_FALSE(SplitCommand("prog 'open").ok());
}

TEST(ShellLineTest, IsSplitIntoTheSameWords) {
  const std::vector<std::string> command = {
      "prog", "", "a b", "it's", "\"", "\\", "$HOME", "*", "--x={path}"};
  EXPECT_EQ(ShellLine(command),
            R"(prog '' 'a b' 'it'\''s' '"' '\' '$HOME' '*' --x={path})");
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
  reader.command = {"/usr/bin/python3",
                    here + "/adapters/a.py",
                    here,
                    "/home/me/b.py",
                    "b.py",
                    "--level=3",
                    "/home/me/x/../c/"};
  EXPECT_THAT(PortableCommand(reader),
              ElementsAre("/usr/bin/python3", "./adapters/a.py", ".",
                          "/path/to/b.py", "b.py", "--level=3", "/path/to/"));
}

TEST(ReaderTest, IsBareWithAPathInItsCommand) {
  Reader reader;
  reader.command = {"prog"};
  EXPECT_FALSE(reader.bare());
  reader.command = {"prog", "--in={path}"};
  EXPECT_TRUE(reader.bare());
}

}  // namespace
}  // namespace gguf::readers
