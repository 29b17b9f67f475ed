// SPDX-License-Identifier: Apache-2.0

#include <sys/stat.h>
#include <unistd.h>

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

class FindFilesTest : public testing::Test {
 protected:
  FindFilesTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "deep");
    fs::current_path(root_);
  }

  void Write(const std::string& name, const std::string& bytes = "GGUF") {
    std::ofstream(root_ / name, std::ios::binary) << bytes;
  }
  void Link(const std::string& name, const std::string& to) {
    fs::create_symlink(to, root_ / name);
  }

  // Returns "path" or "path: why not", with paths relative to the root.
  std::vector<std::string> Found(const FileChoice& choice = {}) {
    std::vector<std::string> lines;
    for (const FoundFile& file : FindFiles({"."}, choice).files) {
      const std::string path = fs::path(file.path).lexically_relative(".").string();
      lines.push_back(file.status.ok() ? path : absl::StrCat(path, ": ", file.status.message()));
    }
    return lines;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "models";
};

TEST_F(FindFilesTest, ModelsAreFoundByNameOrMagicAndSorted) {
  Write("deep/b.GGUF");
  Write("a.gguf");
  Write("old.bin", "lmgg1234");
  Write("other.bin", "text");
  Write("notes.txt", "text");
  EXPECT_THAT(Found(), ElementsAre("a.gguf", "deep/b.GGUF", "old.bin"));
}

TEST_F(FindFilesTest, GgufIsFoundUnderAnyNameAndWhatIsSkippedIsCounted) {
  Write("a.gguf.part");
  Write("sha256-1234");
  Write("x.GGUF2", "text");
  Write("old.data", "lmgg1234");
  Write("y.bin", "text");
  EXPECT_THAT(Found(), ElementsAre("a.gguf.part", "sha256-1234"));
  const FoundFiles found = FindFiles({"."});
  EXPECT_EQ(found.skipped, 3u);
  EXPECT_THAT(found.skipped_paths, ElementsAre("./old.data", "./x.GGUF2", "./y.bin"));
  FileChoice choice;
  choice.include = {"*.GGUF*", "old*"};
  EXPECT_THAT(Found(choice), ElementsAre("a.gguf.part", "old.data", "sha256-1234", "x.GGUF2"));
  EXPECT_EQ(FindFiles({"."}, choice).skipped, 1u);
  choice.all = true;
  EXPECT_EQ(FindFiles({"."}, choice).skipped, 0u);
  EXPECT_EQ(Found(choice).size(), 5u);
}

TEST_F(FindFilesTest, ASearchThatIsStoppedIsNotOk) {
  Write("a.gguf", "GGUF");
  const FoundFiles found = FindFiles({"."}, {}, {{}, {}, [] { return true; }});
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_EQ(found.files[0].status.message(), "search interrupted");
}

TEST_F(FindFilesTest, ADirectoryWithoutModelsIsNotOk) {
  Write("notes.txt", "text");
  EXPECT_THAT(Found(), ElementsAre(".: no model files in this directory, which has 1 others; "
                                   "--all-files checks files of any kind"));
}

TEST_F(FindFilesTest, ALinkToAFileIsThatFile) {
  Write("blob", "GGUF");
  Link("deep/a.gguf", "../blob");
  Link("deep/a.bin", "../blob");
  EXPECT_THAT(Found(), ElementsAre("deep/a.bin", "deep/a.gguf"));
}

TEST_F(FindFilesTest, WhatCannotBeOpenedIsNotOk) {
  Link("a.gguf", "missing");
  Link("b.bin", "missing");
  Link("c.bin", "c.bin");
  Link("d.txt", "missing");
  EXPECT_THAT(Found(), ElementsAre("a.gguf: cannot open: No such file or directory",
                                   "b.bin: cannot open: No such file or directory",
                                   "c.bin: cannot open: Too many levels of symbolic links"));
}

TEST_F(FindFilesTest, ALinkToADirectoryIsNotSearched) {
  Write("deep/a.gguf");
  Link("linked", "deep");
  Link("deep/loop", "..");
  EXPECT_THAT(Found(),
              ElementsAre("deep/a.gguf", "deep/loop: links to directories are not followed",
                          "linked: links to directories are not followed"));
}

TEST_F(FindFilesTest, AModelsNameOnNoFileIsNotOk) {
  ASSERT_EQ(mkfifo((root_ / "a.gguf").c_str(), 0600), 0);
  fs::create_directory(root_ / "folder.gguf");
  EXPECT_THAT(Found(), ElementsAre("a.gguf: is not a regular file"));
}

// Drops root privileges for its lifetime, because root may read everything.
class AsNobody {
 public:
  AsNobody() : was_root_(geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (was_root_) {
      EXPECT_EQ(seteuid(kNobody), 0);
    }
  }
  ~AsNobody() {
    if (was_root_) {
      EXPECT_EQ(seteuid(0), 0);
    }
  }

 private:
  const bool was_root_;
};

TEST_F(FindFilesTest, WhatNobodyMayReadIsNotOk) {
  Write("a.gguf");
  Write("b.bin");
  fs::permissions(root_ / "b.bin", fs::perms::none);
  fs::permissions(root_ / "deep", fs::perms::none);
  const AsNobody nobody;
  EXPECT_THAT(Found(), ElementsAre("a.gguf", "b.bin: cannot open: Permission denied",
                                   "deep: cannot search: Permission denied"));
}

}  // namespace
}  // namespace gguf
