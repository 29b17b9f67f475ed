// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <fstream>

#include "conformance/check/files.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

class RelativePathTest : public testing::Test {
 protected:
  // top/config, top/models/a, top/link -> models, top/models/b -> a.
  RelativePathTest() : top_(fs::path(testing::TempDir()) / "relative") {
    fs::remove_all(top_);
    fs::create_directories(top_ / "models");
    std::ofstream(top_ / "models/a") << "x";
    fs::create_directory_symlink("models", top_ / "link");
    fs::create_symlink("a", top_ / "models/b");
    fs::current_path(top_);
  }

  const fs::path top_;
};

TEST_F(RelativePathTest, AFileHasOneNameHoweverItIsSaid) {
  const std::string folder = FolderOf("config");
  EXPECT_EQ(folder, fs::canonical(top_));
  for (const std::string& path :
       {std::string("models/a"), std::string("./models//a"), std::string("link/a"),
        std::string("models/../models/a"), (top_ / "models/a").string()}) {
    EXPECT_EQ(PathFrom(folder, path), "models/a") << path;
  }
  EXPECT_EQ(PathFrom(FolderOf((top_ / "link/config").string()), "models/a"), "a");
  EXPECT_EQ(PathFrom(FolderOf("models/config"), "top"), "../top");
}

TEST_F(RelativePathTest, ALinkIsNotTheFileThatItLeadsTo) {
  EXPECT_EQ(PathFrom(FolderOf("config"), "models/b"), "models/b");
}

TEST_F(RelativePathTest, FilesNeedNotBeThere) {
  EXPECT_EQ(PathFrom(FolderOf("config"), "none/x"), "none/x");
  EXPECT_EQ(PathFrom(FolderOf("config"), "-"), "-");
}

}  // namespace
}  // namespace gguf
