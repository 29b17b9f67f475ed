// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/check/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::StartsWith;

class ShardFilesTest : public testing::Test {
 protected:
  ShardFilesTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "deep");
    fs::current_path(root_);
  }

  void Write(const std::string& name) { std::ofstream(root_ / name) << "GGUF"; }

  // Returns "a, b" for single files and "[a, b]" for a set, followed by any
  // error.
  static std::vector<std::string> Groups(const std::vector<std::string>& paths) {
    std::vector<FoundFile> found;
    for (const std::string& path : paths) {
      found.push_back({path, absl::OkStatus()});
    }
    std::vector<std::string> lines;
    for (const FileGroup& group : GroupShards(found)) {
      std::string line;
      for (const FoundFile& file : group.files) {
        absl::StrAppend(&line, line.empty() ? "" : ", ", file.path);
        if (!file.status.ok()) absl::StrAppend(&line, ": ", file.status.message());
      }
      lines.push_back(group.is_set ? absl::StrCat("[", line, "]") : line);
    }
    return lines;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "shards";
};

TEST_F(ShardFilesTest, AnyShardBringsTheOthers) {
  for (const char* name :
       {"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf",
        "n-00002-of-00003.gguf", "m-00001-of-00004.gguf", "m-00004-of-00003.gguf", "m.gguf"}) {
    Write(name);
  }
  const std::string set =
      "[m-00001-of-00003.gguf, m-00002-of-00003.gguf, m-00003-of-00003.gguf, "
      "m-00004-of-00003.gguf]";
  EXPECT_THAT(Groups({"m-00002-of-00003.gguf"}), ElementsAre(set));
  EXPECT_THAT(
      Groups({"m-00003-of-00003.gguf", "m.gguf", "m-00001-of-00003.gguf", "m-00004-of-00003.gguf"}),
      ElementsAre(set, "m.gguf"));
  EXPECT_THAT(Groups({"n-00002-of-00003.gguf", "m-00001-of-00004.gguf"}),
              ElementsAre("[n-00002-of-00003.gguf]", "[m-00001-of-00004.gguf]"));
}

TEST_F(ShardFilesTest, EachFolderIsForItself) {
  Write("m-00001-of-00002.gguf");
  Write("deep/m-00002-of-00002.gguf");
  EXPECT_THAT(Groups({"m-00001-of-00002.gguf", "deep/m-00002-of-00002.gguf"}),
              ElementsAre("[m-00001-of-00002.gguf]", "[deep/m-00002-of-00002.gguf]"));
}

TEST_F(ShardFilesTest, PathsStayAsTheUserWroteThem) {
  Write("m-00001-of-00002.gguf");
  Write("m-00002-of-00002.gguf");
  EXPECT_THAT(Groups({".//m-00002-of-00002.gguf"}),
              ElementsAre("[./m-00001-of-00002.gguf, .//m-00002-of-00002.gguf]"));
}

TEST_F(ShardFilesTest, WhatCannotBeOpenedIsNotMissing) {
  Write("m-00001-of-00004.gguf");
  fs::create_symlink("nowhere", root_ / "m-00002-of-00004.gguf");
  ASSERT_EQ(mkfifo((root_ / "m-00003-of-00004.gguf").c_str(), 0600), 0);
  fs::create_directory(root_ / "m-00004-of-00004.gguf");
  EXPECT_THAT(
      Groups({"m-00001-of-00004.gguf"}),
      ElementsAre(StartsWith("[m-00001-of-00004.gguf, m-00002-of-00004.gguf: cannot open: ")));
  EXPECT_THAT(Groups({"m-00001-of-00004.gguf"}),
              ElementsAre(testing::EndsWith(", m-00003-of-00004.gguf: is not a regular file]")));
}

TEST_F(ShardFilesTest, APathThatIsNotThereIsOneOfTheSet) {
  Write("m-00001-of-00002.gguf");
  EXPECT_THAT(Groups({"m-00002-of-00002.gguf"}),
              ElementsAre("[m-00001-of-00002.gguf, m-00002-of-00002.gguf]"));
}

TEST_F(ShardFilesTest, InAFolderThatCannotBeListedFilesAreAlone) {
  EXPECT_THAT(Groups({"none/m-00002-of-00002.gguf", "-"}),
              ElementsAre("none/m-00002-of-00002.gguf", "-"));
}

}  // namespace
}  // namespace gguf
