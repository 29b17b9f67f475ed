// Which cases are selected.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/cases.h"

#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/testing/temp_corpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseTimeoutTest, ATimeHasAUnit) {
  EXPECT_EQ(ParseTimeout("2s").value(), absl::Seconds(2));
  EXPECT_EQ(ParseTimeout("500ms").value(), absl::Milliseconds(500));
  EXPECT_EQ(ParseTimeout("1.5m").value(), absl::Seconds(90));
  for (const char* bad : {"", "2", "0", "0s", "-1s", "inf", "2 s", "s", "25h"}) {
    EXPECT_FALSE(ParseTimeout(bad).ok()) << bad;
  }
}

class SelectCasesTest : public testing::Test {
 protected:
  SelectCasesTest() {
    for (const char* level : {"may", "must", "should"}) {
      corpus_.AddCase(
          absl::StrCat("header/valid-", level),
          absl::StrCat("title \"x\"\nlevel ", level, "\ngguf 3\n=== expect\nupload none\n"));
    }
  }

  // Returns the ids, or the error.
  std::vector<std::string> Select(const Selection& selection) {
    const auto cases =
        SelectCases(selection, corpus_.cases(), corpus::ListCases(corpus_.cases()).value());
    if (!cases.ok()) {
      EXPECT_TRUE(absl::IsNotFound(cases.status()));
      return {std::string(cases.status().message())};
    }
    std::vector<std::string> ids;
    for (const corpus::Case& a_case : *cases) ids.push_back(a_case.id);
    return ids;
  }

  corpus::TempCorpus corpus_;
};

TEST_F(SelectCasesTest, LevelsIncludeStricterOnes) {
  EXPECT_THAT(Select({{}, "must"}), ElementsAre("header/valid-must"));
  EXPECT_THAT(Select({{}, "should"}), ElementsAre("header/valid-must", "header/valid-should"));
  EXPECT_EQ(Select({{}, "may"}).size(), 3u);
}

TEST_F(SelectCasesTest, AStarCrossesTheSlash) {
  EXPECT_THAT(Select({{"*st"}}), ElementsAre("header/valid-must"));
  EXPECT_THAT(Select({{"header/*-m*", "*should"}}).size(), 3u);
}

TEST_F(SelectCasesTest, NothingIsAnError) {
  EXPECT_THAT(Select({{"header/*", "no/such"}})[0], HasSubstr("no case matches \"no/such\""));
  EXPECT_THAT(Select({{"*-may"}, "must"})[0], HasSubstr("--level must"));
}

// A case of two shards whose files a test keeps from being written.
class WriteCaseTest : public testing::Test {
 protected:
  static constexpr char kSecond[] = "m-00002-of-00002.gguf";

  WriteCaseTest() {
    const auto add = [&](const char* id, const char* name, const char* other) {
      corpus_.AddCase(id, absl::StrCat("title \"x\"\nfile_name \"", name, "\"\nset \"", other,
                                       "\"\ngguf 3\nzeros 100000\n=== expect\nupload none\n"));
    };
    add("shards/either-1", "m-00001-of-00002.gguf", "shards/either-2");
    add("shards/either-2", kSecond, "shards/either-1");
  }

  // Returns the error, or "".
  std::string Write() {
    const corpus::Loader load = corpus::FolderLoader(corpus_.cases());
    const auto a_case = corpus::ReadCase("shards/either-1", *load("shards/either-1"), load);
    EXPECT_TRUE(a_case.ok()) << a_case.status();
    return std::string(WriteCase(*a_case, load, folder()).status().message());
  }

  std::string folder() const { return corpus_.root() + "/written"; }

  corpus::TempCorpus corpus_;
};

TEST_F(WriteCaseTest, EachFileThatCannotBeWrittenIsAnError) {
  EXPECT_EQ(Write(), "");
  for (const char* name : {"m-00001-of-00002.gguf", kSecond}) {
    const std::string path = folder() + "/shards/either-1/" + name;
    std::filesystem::create_directories(path);
    EXPECT_THAT(Write(), HasSubstr(path + ": Is a directory"));
  }
  std::filesystem::remove_all(folder());
  corpus_.Add("written", "a file");
  EXPECT_THAT(Write(), HasSubstr("cannot make " + folder() + "/shards/either-1: Not a directory"));
}

TEST_F(WriteCaseTest, AFullDiskIsAnError) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 50000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = Write();
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
  EXPECT_THAT(error, HasSubstr("m-00001-of-00002.gguf: File too large"));
}

TEST(KeepShardTest, EachCaseIsInOneShard) {
  std::vector<int> seen(7);
  for (uint64_t index = 0; index < 3; ++index) {
    std::vector<corpus::Case> cases(7);
    for (size_t i = 0; i < cases.size(); ++i) cases[i].id = std::to_string(i);
    KeepShard({index, 3}, &cases);
    for (const corpus::Case& a_case : cases) ++seen[std::stoi(a_case.id)];
  }
  EXPECT_EQ(seen, std::vector<int>(7, 1));
}

}  // namespace

}  // namespace gguf::readers
