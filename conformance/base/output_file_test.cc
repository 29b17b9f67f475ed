// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/output.XXXXXX";
    ASSERT_NE(mkdtemp(&name[0]), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  size_t Files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsWhenItIsComplete) {
  Write("x", "old");
  chmod(Path("x").c_str(), 0640);
  auto file = OutputFile::Create(Path("x"), "x", {}).value();
  file->out() << std::string(100000, 'a') << "end";
  EXPECT_EQ(Read("x"), "old");
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(Read("x"), std::string(100000, 'a') + "end");
  EXPECT_EQ(fs::status(Path("x")).permissions(), fs::perms(0640));
  EXPECT_EQ(Files(), 1u);
}

TEST_F(OutputFileTest, WithoutCloseNothingIsLeft) {
  Write("x", "old");
  OutputFile::Create(Path("x"), "x", {}).value()->out() << "new";
  OutputFile::Create(Path("y"), "y", {}).value()->out() << "new";
  EXPECT_EQ(Read("x"), "old");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(OutputFileTest, APublishedFileGrowsInItsPlace) {
  Write("x", "old");
  Write("in", "kept");
  InputFiles inputs;
  inputs.Add(Path("in"), "the model");
  EXPECT_FALSE(OutputFile::Create(Path("in"), "x", inputs).ok());
  auto file = OutputFile::Create(Path("x"), "x", inputs).value();
  EXPECT_FALSE(file->in_place());
  file->out() << "a";
  EXPECT_EQ(Read("x"), "old");
  EXPECT_TRUE(file->Publish().ok());
  EXPECT_EQ(Read("x"), "a");
  file->out() << "b";
  EXPECT_TRUE(file->Flush().ok());
  EXPECT_EQ(Read("x"), "ab");
  file.reset();  // Without Close().
  EXPECT_EQ(Read("x"), "ab");
  EXPECT_EQ(Files(), 2u);
}

TEST_F(OutputFileTest, LinksStay) {
  Write("x", "old");
  fs::create_symlink("x", folder_ / "link");
  fs::create_symlink("link", folder_ / "far");
  fs::create_symlink("not-yet", folder_ / "dangling");
  EXPECT_TRUE(ReplaceFile(Path("far"), "new", {}).ok());
  EXPECT_TRUE(ReplaceFile(Path("dangling"), "made", {}).ok());
  EXPECT_EQ(Read("x"), "new");
  EXPECT_EQ(Read("not-yet"), "made");
  for (const char* link : {"link", "far", "dangling"}) {
    EXPECT_TRUE(fs::is_symlink(folder_ / link)) << link;
  }
}

TEST_F(OutputFileTest, InputsAreRefusedWhateverTheirName) {
  Write("in", "kept");
  Write("other", "old");
  fs::create_symlink("in", folder_ / "link");
  fs::create_hard_link(folder_ / "in", folder_ / "hard");
  InputFiles inputs;
  inputs.Add(Path("missing"), "nothing");
  inputs.Add("/dev/null", "a device");
  inputs.Add(Path("in"), "the model");
  for (const char* name : {"in", "./in", "link", "hard"}) {
    const absl::Status status = ReplaceFile(Path(name), "new", inputs);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(status.message(), "cannot write " + Path(name) + ": it would overwrite \"" +
                                    Path("in") + "\", the model");
  }
  EXPECT_EQ(Read("in"), "kept");
  EXPECT_TRUE(ReplaceFile(Path("other"), "new", inputs).ok());
  EXPECT_TRUE(ReplaceFile("/dev/null", "new", inputs).ok());
}

TEST_F(OutputFileTest, PipesAreWrittenInPlace) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  EXPECT_TRUE(ReplaceFile(path, "text", {}).ok());
  char text[5] = {};
  EXPECT_EQ(read(ends[0], text, 4), 4);
  EXPECT_STREQ(text, "text");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(OutputFileTest, ErrorsNameTheFileAndTheReason) {
  EXPECT_EQ(ReplaceFile("no/such/x", "a", {}).message(),
            "cannot write no/such/x: No such file or directory");
  EXPECT_EQ(ReplaceFile(folder_.string(), "a", {}).message(),
            "cannot write " + folder_.string() + ": Is a directory");
  auto full = OutputFile::Create("/dev/full", "it", {}).value();
  full->out() << "a";
  EXPECT_EQ(full->Flush().message(), "cannot write it: No space left on device");
  EXPECT_FALSE(full->reader_left());
  EXPECT_THAT(std::string(full->Close().message()), HasSubstr("No space"));
}

}  // namespace
}  // namespace gguf
