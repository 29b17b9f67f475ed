// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/image.h"

#include <sys/stat.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(ImageFileTest, WritesBytesAndZerosAndReplacesWhatWasThere) {
  const std::string path = testing::TempDir() + "/replaced.gguf";
  Image image;
  image.AppendZeros(5000);
  image.Append("middle");
  image.AppendZeros(6000);
  ASSERT_TRUE(WriteImage(image, path).ok());
  EXPECT_EQ(ReadFile(path).value(), image.ToString());

  ASSERT_TRUE(WriteImage(Image(), path).ok());
  EXPECT_EQ(ReadFile(path).value(), "");
}

TEST(ImageFileTest, ZerosTakeNoSpace) {
  const std::string path = testing::TempDir() + "/sparse.gguf";
  Image image;
  image.Append("GGUF");
  image.AppendZeros(uint64_t{5} << 30);
  image.Append("end");
  ASSERT_TRUE(WriteImage(image, path).ok());
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, image.size());
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
}

TEST(ImageFileTest, APipeGetsEveryZero) {
  Image image;
  image.Append("GGUF");
  image.AppendZeros(5000);
  std::ostringstream stream;
  StreamImage(image, stream);
  EXPECT_EQ(stream.str(), image.ToString());
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_TRUE(WriteImage(image, pipe_ends[1]).ok());
  close(pipe_ends[1]);
  EXPECT_EQ(ReadFile("/dev/fd/" + std::to_string(pipe_ends[0])).value(), image.ToString());
  close(pipe_ends[0]);
  EXPECT_TRUE(WriteImage(image, "/dev/null").ok());
}

TEST(ImageFileTest, ErrorsNameThePathAndTheReason) {
  EXPECT_EQ(WriteImage(Image(), "no/such/folder/x").message(),
            "cannot write no/such/folder/x: No such file or directory");
  Image image;
  image.Append("x");
  EXPECT_EQ(WriteImage(image, "/dev/full").message(),
            "cannot write /dev/full: No space left on device");
  EXPECT_EQ(ReadFile("missing").status().message(),
            "cannot read missing: No such file or directory");
  EXPECT_EQ(ReadRegularFile("missing").status().message(),
            "cannot read missing: No such file or directory");
  EXPECT_EQ(ReadRegularFile("/dev/null").status().message(),
            "cannot read /dev/null: not a regular file");
  EXPECT_EQ(ReadFile("/").status().message(), "cannot read /: Is a directory");
}

}  // namespace
}  // namespace gguf::corpus
