// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/file_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

// Reads text, at most three bytes at a time.
ReadAt Of(const std::string& text) {
  return [text](uint64_t offset, void* to, size_t size) {
    const std::string part =
        text.substr(std::min<size_t>(offset, text.size()), std::min<size_t>(size, 3));
    std::memcpy(to, part.data(), part.size());
    return part.size();
  };
}

ReadAt Failing() {
  return [](uint64_t, void*, size_t) -> absl::StatusOr<size_t> {
    return absl::UnavailableError("broken");
  };
}

TEST(FileReaderTest, ReadsInPieces) {
  FileReader reader(Of("0123456789"), 10, Deadline(0));
  std::string bytes;
  ASSERT_TRUE(reader.ReadTo(4, &bytes).ok());
  EXPECT_EQ(bytes, "0123");
  ASSERT_TRUE(reader.ReadTo(100, &bytes).ok());
  EXPECT_EQ(bytes, "0123456789");
  uint8_t to[5];
  reader.Read(4, to, 5);
  EXPECT_EQ(std::memcmp(to, "45678", 5), 0);
  EXPECT_FALSE(reader.failed());
}

TEST(FileReaderTest, StreamsTheFile) {
  FileReader reader(Of("01234"), 5, Deadline(0));
  const ReadNext next = reader.Stream();
  std::string all;
  char to[4];
  for (auto got = next(to, 4); got.ok() && *got > 0; got = next(to, 4)) {
    all.append(to, *got);
  }
  EXPECT_EQ(all, "01234");
}

TEST(FileReaderTest, AFileThatEndsEarlyIsAnError) {
  FileReader reader(Of("0123"), 5, Deadline(0));
  std::string bytes;
  EXPECT_EQ(reader.ReadTo(5, &bytes).message(), "ends after 4 of 5 bytes");
  EXPECT_FALSE(reader.failed());
}

TEST(FileReaderTest, BytesThatCannotBeReadAreZeros) {
  FileReader reader(Of("0123"), 6, Deadline(0));
  char to[5] = "xxxx";
  reader.Read(2, reinterpret_cast<uint8_t*>(to), 4);
  EXPECT_EQ(std::string(to, 4), std::string("23\0\0", 4));
  EXPECT_TRUE(reader.failed());
}

TEST(FileReaderTest, ErrorsOfTheFunctionArePassedOn) {
  FileReader reader(Failing(), 5, Deadline(0));
  std::string bytes;
  EXPECT_EQ(reader.ReadTo(5, &bytes).message(), "broken");
  char to[1];
  EXPECT_EQ(reader.Stream()(to, 1).status().message(), "broken");
}

TEST(FileReaderTest, MoreBytesThanRequestedAreAnError) {
  FileReader reader([](uint64_t, void*, size_t size) { return size + 1; }, 5, Deadline(0));
  std::string bytes;
  EXPECT_EQ(reader.ReadTo(5, &bytes).message(), "more bytes were read than requested");
}

}  // namespace
}  // namespace gguf
