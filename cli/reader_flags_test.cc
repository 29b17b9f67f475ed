// SPDX-License-Identifier: Apache-2.0

#include "cli/reader_flags.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

class FindCasesTest : public testing::Test {
 protected:
  FindCasesTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ + "/corpus/cases/header");
    fs::create_directories(root_ + "/other/deep");
  }
  ~FindCasesTest() override { fs::current_path(old_); }

  const std::string root_ = testing::TempDir() + "/find_cases";
  const fs::path old_ = fs::current_path();
};

TEST_F(FindCasesTest, TheNearestAbove) {
  const struct {
    const char* from;
    const char* found;
  } cases[] = {
      {"", "corpus/cases"},
      {"/corpus", "../corpus/cases"},
      {"/corpus/cases/header", "../../../corpus/cases"},
      {"/other/deep", "../../corpus/cases"},
  };
  for (const auto& [from, found] : cases) {
    fs::current_path(root_ + from);
    EXPECT_EQ(FindCases("").value_or("none"), found);
  }
}

TEST_F(FindCasesTest, TheArchiveOfTheCorpus) {
  const std::string archive = testing::TempDir() + "/archive";
  fs::create_directories(archive + "/cases");
  fs::current_path(archive);
  fs::remove("manifest.json");
  EXPECT_FALSE(FindCases("").ok());
  std::ofstream("manifest.json") << "{}";
  EXPECT_EQ(FindCases("").value_or("none"), "cases");
}

TEST_F(FindCasesTest, TheFolderThatIsNamed) {
  EXPECT_EQ(FindCases(root_).value_or("none"), root_);
  EXPECT_EQ(FindCases(root_ + "/corpus").value_or("none"), root_ + "/corpus/cases");
  EXPECT_EQ(FindCases("no/such").status().message(), "--cases: no such folder: no/such");
  fs::current_path("/");
  EXPECT_EQ(FindCases("").status().message(),
            "no corpus/cases in the working directory or its parents; use --cases DIR, or change "
            "to a checkout of ggufcheck or to its corpus archive");
}

TEST_F(FindCasesTest, ATextAmongCasesHasItsOwn) {
  fs::current_path(root_ + "/corpus/cases/header");
  const std::string cases = (fs::current_path() / "..").lexically_normal();
  const std::string own = cases.substr(0, cases.size() - 1);
  EXPECT_EQ(FindCasesFor("valid-x.gguft", "").value_or("none"), own);
  EXPECT_EQ(FindCasesFor("./a/../valid-x.gguft", "").value_or("none"), own);
  EXPECT_EQ(FindCasesFor("valid-x.gguft", root_).value_or("none"), root_);
  EXPECT_EQ(FindCasesFor("../x.gguft", "").value_or("none"), "../../../corpus/cases");
}

}  // namespace
}  // namespace gguf
