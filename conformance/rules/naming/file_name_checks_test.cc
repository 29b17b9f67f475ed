// Tests of file names whose parts do not match the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF16 = 1;

const FindingsOf kName = {{"file-name-basename", "file-name-size-label",
                           "size-label-parameters", "file-name-version",
                           "file-name-encoding", "file-name-type",
                           "file-name-shard-number", "file-name-shard-keys"}};

// 64,000 parameters in F16.
GgufBuilder File() { return PlainFile().Tensor("w", {1000, 64}, kF16); }

std::vector<std::string> Found(const GgufBuilder& file,
                               absl::string_view name) {
  return kName.MessagesIn(file, "upload", name);
}

TEST(NameContentChecksTest, Basename) {
  GgufBuilder b = File().String("general.basename", "Tiny Llama");
  EXPECT_THAT(Found(b, "Tiny-Llama-64K-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "tiny-llama-64K-Chat-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "Huge-Llama-64K-v1.0.gguf"),
              ElementsAre("file.name has \"Huge-Llama\", but general.basename "
                          "is \"Tiny Llama\""));
}

TEST(NameContentChecksTest, SizeLabel) {
  GgufBuilder b = File().String("general.size_label", "64K");
  EXPECT_THAT(Found(b, "X-64K-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "X-64k-v1.0.gguf"), IsEmpty());
  EXPECT_THAT(Found(b, "X-65K-v1.0.gguf"),
              ElementsAre("file.name has \"65K\", but general.size_label is "
                          "\"64K\""));
}

TEST(NameContentChecksTest, Parameters) {
  for (const char* right : {"33K", "64K", "128K", "0.1M", "3x30K", "64K-A3K"}) {
    EXPECT_THAT(Found(File(), std::string("X-") + right + "-v1.0.gguf"),
                IsEmpty())
        << right;
  }
  for (const char* wrong : {"31K", "129K", "64M", "7B", "2x15K"}) {
    EXPECT_EQ(Found(File(), std::string("X-") + wrong + "-v1.0.gguf").size(), 1)
        << wrong;
  }
  EXPECT_THAT(Found(File(), "X-7B-v1.0.gguf"),
              ElementsAre("file.name has \"7B\", but the tensors have 64000 "
                          "parameters"));
  // The key comes before the name.
  GgufBuilder b = File().String("general.size_label", "7B");
  EXPECT_THAT(Found(b, ""), ElementsAre("kv[general.size_label].value has "
                                        "\"7B\", but the tensors have 64000 "
                                        "parameters"));
  b.String("general.type", "adapter");
  EXPECT_THAT(kName.NotCheckedIn(b, "upload", "X-7B-v1.0-LoRA.gguf"),
              ElementsAre("size-label-parameters: the label is that of another "
                          "file"));
  GgufBuilder huge = PlainFile();
  for (const char* name : {"a", "b", "c"}) {
    huge.Tensor(name, {1ull << 62, 1}, kF16, 0);
  }
  EXPECT_THAT(kName.In(huge, "upload", "X-7B-v1.0.gguf").size(), 1);
  huge.Tensor("d", {1ull << 62, 1}, kF16, 0).Tensor("e", {1ull << 62}, kF16, 0);
  EXPECT_THAT(kName.NotCheckedIn(huge, "upload", "X-7B-v1.0.gguf"),
              ElementsAre("size-label-parameters: the parameters cannot be "
                          "counted"));
}

TEST(NameContentChecksTest, Version) {
  GgufBuilder b = File().String("general.version", "1.0");
  for (const char* name :
       {"X-64K-v1.0.gguf", "X-64K-v1.gguf", "X-64K-v1.0.0.gguf"}) {
    EXPECT_THAT(Found(b, name), IsEmpty()) << name;
  }
  EXPECT_THAT(Found(b, "X-64K-v1.1.gguf"),
              ElementsAre("file.name has \"v1.1\", but general.version is "
                          "\"1.0\""));
  GgufBuilder words = File().String("general.version", "final");
  EXPECT_THAT(Found(words, "X-64K-v1.1.gguf"), IsEmpty());
  EXPECT_THAT(Found(File().String("general.version", "v2"), "X-64K-v2.gguf"),
              IsEmpty());
}

TEST(NameContentChecksTest, Encoding) {
  EXPECT_THAT(Found(File(), "X-64K-v1.0-F16.gguf"), IsEmpty());
  EXPECT_THAT(Found(File(), "X-64K-v1.0-f16.gguf"), IsEmpty());
  EXPECT_THAT(Found(File(), "X-64K-v1.0-Q8_0.gguf"), IsEmpty());  // 1000 % 32.
  const GgufBuilder b = File().Tensor("v", {1024, 32}, kF16);
  for (const char* encoding : {"Q8_0", "Q4_K_M", "BF16", "F32", "IQ2_XXS"}) {
    EXPECT_EQ(Found(b, std::string("X-64K-v1.0-") + encoding + ".gguf").size(),
              1)
        << encoding;
  }
  EXPECT_THAT(
      Found(b, "X-64K-v1.0-Q8_0.gguf"),
      ElementsAre(
          "file.name has \"Q8_0\", the type of 0 of 1 matrices; 1 are F16"));
  EXPECT_THAT(kName.NotCheckedIn(b, "upload", "X-64K-v1.0-KQ2.gguf"),
              ElementsAre("file-name-encoding: the encoding is not known"));
}

TEST(NameContentChecksTest, Type) {
  GgufBuilder adapter = File().String("general.type", "adapter");
  const GgufBuilder vocabulary = PlainFile();
  EXPECT_THAT(Found(File(), "X-64K-v1.0-F16.gguf"), IsEmpty());
  EXPECT_THAT(Found(adapter, "X-64K-v1.0-F16-LoRA.gguf"), IsEmpty());
  EXPECT_THAT(Found(vocabulary, "X-64K-v1.0-vocab.gguf"), IsEmpty());
  EXPECT_THAT(Found(File(), "X-64K-v1.0-F16-LoRA.gguf"),
              ElementsAre("file.name has LoRA, but general.type is not "
                          "adapter"));
  EXPECT_THAT(Found(adapter, "X-64K-v1.0-F16.gguf"),
              ElementsAre("file.name has no LoRA, but general.type is "
                          "adapter"));
  EXPECT_THAT(
      Found(File(), "X-64K-v1.0-vocab.gguf"),
      ElementsAre(
          "file.name has vocab, but the file has more than a vocabulary"));
  EXPECT_THAT(
      Found(vocabulary, "X-64K-v1.0.gguf"),
      ElementsAre("file.name has no vocab, but the file has no tensors"));
  EXPECT_THAT(Found(File(), "mmproj-X-64K-v1.0.gguf"),
              ElementsAre("file.name has mmproj, but general.type is not "
                          "mmproj"));
  EXPECT_THAT(
      Found(File().String("general.type", "mmproj"), "mmproj-X-64K-v1.0.gguf"),
      IsEmpty());
}

GgufBuilder Shard(uint16_t number, uint16_t count) {
  return File()
      .Key("split.no", 2, ByteWriter().U16(number))
      .Key("split.count", 2, ByteWriter().U16(count));
}

TEST(NameContentChecksTest, Shards) {
  EXPECT_THAT(Found(Shard(1, 3), "X-64K-v1.0-F16-00002-of-00003.gguf"),
              IsEmpty());
  EXPECT_THAT(Found(Shard(1, 3), "any thing-00002-of-00003.gguf"), IsEmpty());
  for (const char* wrong :
       {"X-64K-v1.0-00001-of-00003.gguf", "X-64K-v1.0-00002-of-00004.gguf",
        "X-64K-v1.0.gguf", "X-64K-v1.0-2-of-3.gguf", "x"}) {
    EXPECT_THAT(kName.In(Shard(1, 3), "llama.cpp", wrong),
                ElementsAre("error file-name-shard-number file.name"))
        << wrong;
    EXPECT_THAT(kName.In(Shard(1, 3), "upload", wrong),
                ElementsAre("warning file-name-shard-number file.name"));
  }
  EXPECT_THAT(Found(File(), "X-64K-v1.0-00001-of-00003.gguf"),
              ElementsAre("file.name ends with \"-00001-of-00003.gguf\", but "
                          "split.count is not above 1"));
  EXPECT_THAT(Found(File(), "X-64K-v1.0-00001-of-00001.gguf"), IsEmpty());
  EXPECT_THAT(Found(Shard(65535, 65535), "X-64K-v1.0-65536-of-65535.gguf"),
              IsEmpty());
}

TEST(NameContentChecksTest, WithoutANameNothingIsCompared) {
  GgufBuilder b = File().String("general.basename", "X");
  EXPECT_THAT(kName.In(b, "pedantic"), IsEmpty());
  EXPECT_THAT(kName.NotCheckedIn(b),
              testing::Contains("file-name-basename: the file has no name"));
  EXPECT_THAT(Found(b, "outside the convention"), IsEmpty());
  EXPECT_THAT(kName.In(File(), "pedantic", "X-7B-v1.0.gguf"),
              ElementsAre("warning size-label-parameters file.name"));
}

}  // namespace
}  // namespace gguf
