// Tests of the rules about file names and their endings.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF16 = 1;

const FindingsOf kName = {{"file-name-shard-number", "file-name-shard-keys"}};

// 64,000 parameters in F16.
GgufBuilder File() { return PlainFile().Tensor("w", {1000, 64}, kF16); }

std::vector<std::string> Found(const GgufBuilder& file, absl::string_view name) {
  return kName.MessagesIn(file, "upload", name);
}

GgufBuilder Shard(uint16_t number, uint16_t count) {
  return File()
      .Key("split.no", 2, ByteWriter().U16(number))
      .Key("split.count", 2, ByteWriter().U16(count));
}

TEST(FileNameChecksTest, Shards) {
  EXPECT_THAT(Found(Shard(1, 3), "X-64K-v1.0-F16-00002-of-00003.gguf"), IsEmpty());
  EXPECT_THAT(Found(Shard(1, 3), "any thing-00002-of-00003.gguf"), IsEmpty());
  for (const char* wrong : {"X-64K-v1.0-00001-of-00003.gguf", "X-64K-v1.0-00002-of-00004.gguf",
                            "X-64K-v1.0.gguf", "X-64K-v1.0-2-of-3.gguf", "x"}) {
    EXPECT_THAT(kName.In(Shard(1, 3), "llama.cpp", wrong),
                ElementsAre("error file-name-shard-number file.name"))
        << wrong;
    EXPECT_THAT(kName.In(Shard(1, 3), "upload", wrong),
                ElementsAre("warning file-name-shard-number file.name"));
  }
  EXPECT_THAT(
      Found(File(), "X-64K-v1.0-00001-of-00003.gguf"),
      ElementsAre("file.name ends with \"-00001-of-00003.gguf\", but split.count is not above 1"));
  EXPECT_THAT(Found(File(), "X-64K-v1.0-00001-of-00001.gguf"), IsEmpty());
  EXPECT_THAT(Found(Shard(65535, 65535), "X-64K-v1.0-65536-of-65535.gguf"), IsEmpty());
}

TEST(FileNameChecksTest, ShardNumbersAreInTheCount) {
  const FindingsOf shards = {{"file-name-shard-in-count"}};
  for (const char* right :
       {"x-00001-of-00002.gguf", "x-00002-of-00002.gguf", "x-00001-of-00001.gguf", "x.gguf"}) {
    EXPECT_THAT(shards.In(File(), "spec", right), IsEmpty()) << right;
  }
  EXPECT_THAT(shards.In(File(), "spec", "x-00000-of-00002.gguf"),
              ElementsAre("warning file-name-shard-in-count file.name"));
  EXPECT_THAT(shards.MessagesIn(File(), "upload", "x-00003-of-00002.gguf"),
              ElementsAre("file.name has number 3, which is not from 1 to 2"));
}

TEST(FileNameChecksTest, AdviceNamesWhatIsMissingAndProposesAName) {
  const FindingsOf convention = {{"file-name-convention"}};
  EXPECT_THAT(convention.In(File(), "spec", "Tiny-7B-v1.0-F32.gguf"), IsEmpty());
  EXPECT_THAT(convention.MessagesIn(File(), "spec", "Tiny-v1.0-F32.gguf"),
              ElementsAre("file.name \"Tiny-v1.0-F32.gguf\" has no size label such as 7B; "
                          "according to its content, it could be \"llama-64K-v1.0.gguf\""));
}

TEST(FileNameChecksTest, TheExpressionTakesNamesWithoutTheirFirstParts) {
  const FindingsOf parts = {{"file-name-parts-present"}};
  for (const char* right :
       {"A-7B-v1.0.gguf", "A-v1.0.gguf", "7-7B-v1.0.gguf", "A-mini-4k-v1.0.gguf"}) {
    EXPECT_THAT(parts.In(File(), "spec", right), IsEmpty()) << right;
  }
  EXPECT_THAT(
      parts.MessagesIn(File(), "spec", "Grok-7---v01.00-vocab.gguf"),
      ElementsAre(
          "file.name \"Grok-7---v01.00-vocab.gguf\" matches the specification's expression, but "
          "has no size label; according to its content, it could be \"llama-64K-v1.0.gguf\""));
  EXPECT_THAT(parts.MessagesIn(PlainFile(), "spec", "-7B-v1.0.gguf"),
              ElementsAre("file.name \"-7B-v1.0.gguf\" matches the specification's expression, but "
                          "has no base name"));
  EXPECT_THAT(parts.MessagesIn(PlainFile(), "spec", "--v1.0.gguf"),
              ElementsAre("file.name \"--v1.0.gguf\" matches the specification's expression, but "
                          "has no base name and no size label"));
  EXPECT_THAT(parts.In(File(), "upload", "--v1.0.gguf"), IsEmpty());
}

TEST(FileNameChecksTest, FilesOfRwkvCppEndWithBin) {
  const FindingsOf extension = {{"file-name-legacy-extension"}};
  EXPECT_THAT(extension.In(File(), "spec", "x.gguf"), IsEmpty());
}

}  // namespace
}  // namespace gguf
