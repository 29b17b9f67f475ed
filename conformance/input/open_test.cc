// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/open.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/input/bus_guard.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

constexpr uint64_t kNoLimit = ~uint64_t{0};

std::string TempPath(const std::string& name) { return testing::TempDir() + name; }

std::string WriteFile(const std::string& name, const std::string& bytes) {
  const std::string path = TempPath(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Opens a FIFO into which another thread writes.
absl::StatusOr<Input> OpenPipe(const std::string& bytes, uint64_t limit) {
  const std::string path = TempPath("fifo");
  unlink(path.c_str());
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    signal(SIGPIPE, SIG_IGN);
    std::ofstream(path, std::ios::binary) << bytes;
  });
  auto input = Input::Open(path, limit);
  writer.join();
  return input;
}

// Larger files are mapped.
constexpr size_t kSmallFile = 64 << 10;

// Returns bytes that differ from page to page.
std::string PagesOf(size_t size) {
  std::string bytes(size, 'x');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i >> 12 | 1);
  return bytes;
}

TEST(InputTest, AFileOfAnySizeHasItsBytes) {
  for (const size_t size :
       {size_t{8}, kSmallFile - 1, kSmallFile, kSmallFile + 1, 4 * kSmallFile}) {
    const std::string bytes = PagesOf(size);
    const auto input = Input::Open(WriteFile("f", bytes), kNoLimit);
    ASSERT_TRUE(input.ok());
    EXPECT_TRUE(AsText(input->bytes()) == bytes) << size;
    EXPECT_EQ(input->source().size, size);
    EXPECT_TRUE(input->complete());
    EXPECT_EQ(input->WhyChanged(), "");
  }
}

TEST(InputTest, AnEmptyFileHasNoBytes) {
  const auto input = Input::Open(WriteFile("empty", ""), kNoLimit);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->bytes().size(), 0u);
}

TEST(InputTest, WhatCannotBeOpenedIsAStatus) {
  EXPECT_EQ(Input::Open(TempPath("missing"), kNoLimit).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Input::Open(TempPath(""), kNoLimit).status().message(), "is a directory");
  EXPECT_EQ(Input::Open("https://a.org/model.gguf", kNoLimit).status().message(),
            "is a URL; only the files to be checked may be URLs");
}

TEST(InputTest, ASmallFileIsACopyAndItsChangesAreNoticed) {
  const std::string path = WriteFile("shrinks", PagesOf(kSmallFile));
  const auto input = Input::Open(path, kNoLimit);
  ASSERT_TRUE(input.ok());
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_TRUE(AsText(input->bytes()) == PagesOf(kSmallFile));
  EXPECT_EQ(input->WhyChanged(), "the file changed while it was checked");
}

// The size of such a file is that of a page, whatever it has.
TEST(InputTest, AFileThatIsShorterThanItsSizeIsAStatus) {
  const auto input = Input::Open("/sys/devices/system/cpu/online", kNoLimit);
  EXPECT_EQ(input.status().code(), absl::StatusCode::kDataLoss);
}

TEST(InputTest, AFileThatShrinksReadsAsZeros) {
  const std::string path = WriteFile("shrinks", PagesOf(kSmallFile + 1));
  const auto input = Input::Open(path, kNoLimit);
  ASSERT_TRUE(input.ok());
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  const Bytes bytes = input->bytes();
  EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), 0), 0);
  EXPECT_EQ(input->WhyChanged(),
            "the file shrank, or could not be read, while it was being checked");
}

// Reads from `begin` on, beyond the tables.
std::string ReadData(const Input& input, uint64_t begin, size_t size) {
  std::string bytes(size, '?');
  input.source().data->Read(begin, reinterpret_cast<uint8_t*>(&bytes[0]), size);
  return bytes;
}

TEST(InputTest, AnUnmappedFileMayShrink) {
  const std::string text = "other" + std::string(1 << 20, 'x');
  const std::string path = WriteFile("unmapped", text);
  const auto input = Input::OpenUnmapped(path, {});
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->source().size, text.size());
  EXPECT_LT(input->bytes().size(), text.size());
  EXPECT_TRUE(input->source().is_whole());
  EXPECT_EQ(ReadData(*input, 1 << 20, 3), "xxx");
  EXPECT_EQ(input->WhyChanged(), "");
  ASSERT_EQ(truncate(path.c_str(), 10), 0);
  EXPECT_EQ(ReadData(*input, 1 << 20, 3), std::string(3, '\0'));
  EXPECT_EQ(input->WhyChanged(),
            "the file shrank, or could not be read, while it was being checked");
}

TEST(InputTest, TheHolesOfAFileAreKnown) {
  constexpr uint64_t kSize = uint64_t{5} << 30, kHole = 1 << 20;
  const std::string path = WriteFile("sparse", std::string(kHole, 'x'));
  ASSERT_EQ(truncate(path.c_str(), kSize), 0);
  for (const bool mapped : {true, false}) {
    const auto input = mapped ? Input::Open(path, kNoLimit) : Input::OpenUnmapped(path, {});
    ASSERT_TRUE(input.ok()) << input.status();
    const Source source = input->source();
    ASSERT_NE(source.holes, nullptr);
    ASSERT_EQ(source.holes->size(), 1u);  // Not so on a file system without holes.
    EXPECT_EQ(source.holes->front().begin, kHole);
    EXPECT_EQ(source.holes->front().end, kSize);
  }
  const auto whole = Input::Open(WriteFile("whole", "xyz"), kNoLimit);
  ASSERT_TRUE(whole.ok());
  ASSERT_NE(whole->source().holes, nullptr);
  EXPECT_TRUE(whole->source().holes->empty());
  unlink(path.c_str());
}

TEST(InputTest, AnUnmappedLegacyFileIsCopied) {
  const std::string text = "lmgg" + std::string(20 << 20, 'x');
  const std::string path = WriteFile("legacy", text);
  const auto input = Input::OpenUnmapped(path, {});
  ASSERT_TRUE(input.ok()) << input.status();
  ASSERT_EQ(truncate(path.c_str(), 10), 0);
  // Not compared by EXPECT_EQ, which would print both.
  EXPECT_TRUE(AsText(input->bytes()).substr(4) == text.substr(4));
  OpenOptions options;
  options.limits.stream_bytes = 5;
  EXPECT_EQ(Input::OpenUnmapped(path, options).status().message(),
            "the stream exceeds the limit of 5 bytes");
}

TEST(InputTest, WhatCannotBeOpenedUnmappedIsAStatus) {
  EXPECT_EQ(Input::OpenUnmapped(TempPath("missing"), {}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Input::OpenUnmapped(TempPath(""), {}).status().message(), "is a directory");
}

TEST(InputTest, AnyOtherChangeIsNoticed) {
  const std::string path = TempPath("changes");
  const auto write = [&](std::ios::openmode mode, char byte) {
    std::fstream(path, mode | std::ios::out | std::ios::binary).put(byte);
  };
  const std::vector<std::function<void()>> changes = {
      [&] { write(std::ios::app, 'x'); },  // It grows.
      [&] { write(std::ios::in, 'g'); },   // Same size.
      [&] { EXPECT_EQ(truncate(path.c_str(), 10), 0); }, [&] { unlink(path.c_str()); },
      [&] { EXPECT_EQ(rename(WriteFile("other", "GGUF1234").c_str(), path.c_str()), 0); }};
  for (const auto& change : changes) {
    const auto input = Input::Open(WriteFile("changes", std::string(20, 'G')), kNoLimit);
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input->WhyChanged(), "");
    change();
    EXPECT_EQ(input->WhyChanged(), "the file changed while it was checked");
  }
}

TEST(InputTest, OnlyTheHeaderOfAStreamIsRead) {
  const std::string path = TempPath("fifo");
  unlink(path.c_str());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << std::string(1000, '<'); });
  OpenOptions options;
  options.header = {true, 5000, {}};
  const auto input = Input::Open(path, options);
  writer.join();
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->source().prefix.size(), 1000u);
  EXPECT_EQ(input->source().size, 5000u);
  EXPECT_EQ(input->source().name, "fifo");
}

TEST(InputTest, AShortStreamIsKeptInMemoryAndALongOneOnDisk) {
  for (const size_t size : {8, 5 << 20, 40 << 20}) {
    std::string bytes = "GGUF";
    for (size_t i = 4; i < size; ++i) bytes += static_cast<char>(i * 7 >> 3);
    const auto input = OpenPipe(bytes, kNoLimit);
    ASSERT_TRUE(input.ok()) << input.status();
    EXPECT_TRUE(input->complete());
    EXPECT_TRUE(AsText(input->bytes()) == bytes) << size;
  }
}

TEST(InputTest, AStreamThatIsNoModelIsNotReadToItsEnd) {
  const auto input = OpenPipe(std::string(64 << 20, '<'), kNoLimit);
  ASSERT_TRUE(input.ok());
  EXPECT_FALSE(input->complete());
  EXPECT_LT(input->bytes().size(), 2u << 20);
}

TEST(InputTest, AStreamHasALimit) {
  EXPECT_TRUE(OpenPipe("GGUF" + std::string(96, 'x'), 100).ok());
  const auto input = OpenPipe("GGUF" + std::string(97, 'x'), 100);
  EXPECT_EQ(input.status().message(), "the stream exceeds the limit of 100 bytes");
}

int64_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST(InputTest, AStreamThatIsTooLongLeavesNothingOpen) {
  const int64_t before = OpenDescriptors();
  EXPECT_FALSE(OpenPipe("GGUF" + std::string(40 << 20, 'x'), 30 << 20).ok());
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST(InputTest, TooManyFilesAtATimeAreAStatus) {
  const std::string path = WriteFile("many", PagesOf(kSmallFile + 1));
  std::vector<Input> inputs;
  absl::Status status;
  for (int i = 0; i <= kMostGuards && status.ok(); ++i) {
    auto input = Input::Open(path, kNoLimit);
    status = input.status();
    if (input.ok()) inputs.push_back(*std::move(input));
  }
  EXPECT_EQ(inputs.size(), kMostGuards);
  EXPECT_EQ(status.message(), "too many files are open at a time");
}

}  // namespace
}  // namespace gguf
