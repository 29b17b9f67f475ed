// Tests how much of a slowly arriving file is read.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/read_header.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::HasSubstr;

constexpr uint64_t kGiB = uint64_t{1} << 30;

// `bytes`, then nothing more.
class FakeSource : public ByteSource {
 public:
  explicit FakeSource(std::string bytes, std::optional<uint64_t> size = std::nullopt)
      : bytes_(std::move(bytes)), size_(size) {}

  absl::Status ReadTo(uint64_t count, std::string* bytes) override {
    *bytes = bytes_.substr(0, count);
    return absl::OkStatus();
  }
  std::optional<uint64_t> size() const override { return size_; }

 private:
  const std::string bytes_;
  const std::optional<uint64_t> size_;
};

// A header of about `bytes` bytes.
std::string Header(uint64_t bytes) {
  return GgufBuilder().String("a.b", std::string(bytes, 'x')).Build();
}

uint64_t PrefixOf(const std::string& header, uint64_t size) {
  FakeSource source(header + std::string(8 << 20, 'd'));
  const auto read = ReadHeader(&source, size, Limits());
  EXPECT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->size, size);
  return read.ok() ? read->prefix.size() : 0;
}

std::string ErrorOf(FakeSource source, std::optional<uint64_t> size) {
  return std::string(ReadHeader(&source, size, Limits()).status().message());
}

TEST(ReadHeaderTest, ReadsNoMoreThanTheHeaderNeeds) {
  EXPECT_EQ(PrefixOf(Header(100), 100 * kGiB), 256 << 10);
  EXPECT_EQ(PrefixOf(Header(300 << 10), 100 * kGiB), 1 << 20);
  EXPECT_EQ(PrefixOf(Header(100), 1000), 1000);
}

TEST(ReadHeaderTest, ThePrefixIsWhatTheSourceHas) {
  const std::string bytes = Header(100) + std::string(8 << 20, 'd');
  FakeSource source(bytes);
  const auto read = ReadHeader(&source, 100 * kGiB, Limits());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->prefix, bytes.substr(0, read->prefix.size()));
}

TEST(ReadHeaderTest, NoMoreIsReadThanTheLimit) {
  Limits limits;
  limits.metadata_bytes = 100 << 10;
  FakeSource source(Header(8 << 20));
  const auto read = ReadHeader(&source, kGiB, limits);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->prefix.size(), 256 << 10);
}

TEST(ReadHeaderTest, AFileThatIsWrongIsNotReadOn) {
  EXPECT_EQ(PrefixOf("no model" + Header(4 << 20), kGiB), 256 << 10);
  GgufBuilder unknown_version;
  unknown_version.header_version = 77;
  EXPECT_EQ(PrefixOf(unknown_version.Build(), kGiB), 256 << 10);
}

TEST(ReadHeaderTest, ASourceThatEndsTooEarlyIsNoFile) {
  const std::string cut = Header(300 << 10).substr(0, 299 << 10);
  EXPECT_THAT(ErrorOf(FakeSource(cut), kGiB),
              HasSubstr("the stream ended after 306176 of 1073741824 bytes"));
  EXPECT_THAT(ErrorOf(FakeSource(""), kGiB),
              HasSubstr("the stream ended after 0 of 1073741824 bytes"));
}

TEST(ReadHeaderTest, TheSizeIsKnownOrRefused) {
  EXPECT_THAT(ErrorOf(FakeSource(Header(9)), std::nullopt), HasSubstr("--size"));
  EXPECT_THAT(ErrorOf(FakeSource(Header(9), 7), 8),
              HasSubstr("the stated size (--size) is 8 bytes, but the server reports 7"));
  EXPECT_EQ(ErrorOf(FakeSource(Header(9), 4096), std::nullopt), "");
}

// A program may write the whole file into a pipe and keep it open.
TEST(ReadHeaderTest, AnOpenPipeIsReadToTheStatedSizeOnly) {
  for (const uint64_t bytes : {1, 255, 256, 300, 70000}) {
    std::string file = Header(100) + std::string(70000, 'd');
    file.resize(bytes);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_GT(fcntl(ends[1], F_SETPIPE_SZ, 1 << 17), 0);
    ASSERT_EQ(write(ends[1], file.data(), bytes), static_cast<ssize_t>(bytes));
    const Deadline deadline(20);
    StreamSource source(ends[0], deadline);
    const auto read = ReadHeader(&source, bytes, Limits());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->prefix, file);
    close(ends[0]);
    close(ends[1]);
  }
}

TEST(ReadHeaderTest, APipeThatIsSilentEndsWithTheDeadline) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Deadline deadline(0.01);
  StreamSource source(ends[0], deadline);
  EXPECT_TRUE(absl::IsCancelled(ReadHeader(&source, 1000, Limits()).status()));
  close(ends[0]);
  close(ends[1]);
}

TEST(ReadHeaderTest, LegacyFormatsHaveNoHeaderOfAllTensors) {
  EXPECT_THAT(ErrorOf(FakeSource(std::string("tjgg\3\0\0\0", 8)), 8),
              HasSubstr("legacy (pre-GGUF)"));
}

}  // namespace
}  // namespace gguf
