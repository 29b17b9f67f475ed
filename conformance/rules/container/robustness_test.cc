// Tests that a check of any damaged file ends, and that every finding lies
// inside the file.
//
// The files: one with every kind of metadata, built here, and those that
// GGUFCHECK_FILES names, separated by colons.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/findings.h"
#include "gtest/gtest.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

constexpr size_t kDamaged = 4096;  // Bytes at the beginning.

std::string RichFile(uint32_t version, bool big_endian) {
  GgufBuilder b = PlainFile(version, big_endian);
  b.U32("general.alignment", 64).Key("k.bool", 7, b.New().U8(1));
  b.Key("k.f32", 6, b.New().U32(0x3F800000));
  ByteWriter tokens = b.New();
  tokens.U32(8).Length(200);
  for (int i = 0; i < 200; ++i) tokens.String("token" + std::to_string(i));
  b.Key("tokenizer.ggml.tokens", 9, tokens);
  b.Key("k.nest", 9, b.New().U32(9).Length(1).U32(4).Length(1).U32(7));
  b.alignment = 64;
  for (int i = 0; i < 20; ++i) {
    b.Tensor("blk." + std::to_string(i) + ".weight", {32, 2, 1, 1}, i % 4);
  }
  return b.Build();
}

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const uint32_t version : {1, 2, 3}) {
    files.push_back(RichFile(version, false));
    files.push_back(RichFile(version, true));
  }
  const char* named = std::getenv("GGUFCHECK_FILES");
  for (const absl::string_view path : absl::StrSplit(named ? named : "", ':', absl::SkipEmpty())) {
    std::ostringstream bytes;
    bytes << std::ifstream(std::string(path), std::ios::binary).rdbuf();
    EXPECT_FALSE(bytes.str().empty()) << path;
    files.push_back(bytes.str());
  }
  return files;
}

// Findings() itself asserts that it ends soon and stays inside the file.
TEST(RobustnessTest, TheFilesThemselvesHaveNoErrors) {
  for (const std::string& file : Files()) {
    for (const std::string& line : Findings(file)) {
      EXPECT_NE(line.rfind("error", 0), 0u) << line;
    }
  }
}

// Legacy (pre-GGUF) formats do not count their tensors: a file that is cut
// between two of them is complete.
TEST(RobustnessTest, CutAtEveryByteAFileFails) {
  for (const std::string& file : Files()) {
    const bool may_be_whole = Sniff(AsBytes(file)).legacy != nullptr;
    for (size_t size = 0; size < std::min(kDamaged, file.size()); ++size) {
      const auto findings = Findings(absl::string_view(file).substr(0, size));
      EXPECT_TRUE(may_be_whole || !findings.empty()) << size;
    }
  }
}

TEST(RobustnessTest, EveryByteFlippedIsSurvived) {
  for (std::string file : Files()) {
    // The bytes after the damage are only skipped, so a megabyte is enough.
    file.resize(std::min<size_t>(file.size(), 1 << 20));
    for (size_t at = 0; at < std::min(kDamaged, file.size()); ++at) {
      file[at] = ~file[at];
      Findings(file, "pedantic");
      file[at] = ~file[at];
    }
  }
}

// Offsets, shapes and types change under the scan of the data.  The sanitizer
// sees a read outside of the file.
TEST(RobustnessTest, EveryByteFlippedTheScanStaysInTheFile) {
  CheckOptions options;
  options.stats = true;
  for (std::string file : Files()) {
    file.resize(std::min<size_t>(file.size(), 1 << 17));
    for (size_t at = 0; at < std::min(kDamaged, file.size()); ++at) {
      file[at] = ~file[at];
      const std::vector<char> exact(file.begin(), file.end());
      Validate(AsBytes({exact.data(), exact.size()}), *Profile::Find("pedantic"), options);
      file[at] = ~file[at];
    }
  }
}

TEST(RobustnessTest, TheSameFileGivesTheSameFindings) {
  for (const std::string& file : Files()) {
    EXPECT_EQ(Findings(file, "pedantic"), Findings(file, "pedantic"));
  }
}

}  // namespace
}  // namespace gguf
