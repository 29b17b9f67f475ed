// SPDX-License-Identifier: Apache-2.0

#include "parser/parse_legacy.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Lengths of 32 bits.
ByteWriter New() { return ByteWriter(1); }

// Magic, version, the hyper-parameters of a llama and two tokens with scores.
ByteWriter Llama(absl::string_view magic, uint32_t version, uint32_t ftype = 0) {
  ByteWriter w = New();
  w.Raw(magic).U32(version);
  for (const uint32_t hparam : {2u, 4u, 4u, 2u, 1u, 2u, ftype}) w.U32(hparam);
  w.String("a").U32(0x3F800000).String("").U32(0xC0000000);
  return w;
}

struct Shape {
  std::string name;
  std::vector<uint32_t> dims;
  uint32_t type = 0;
};

ByteWriter& AddTensor(const Shape& shape, uint64_t alignment, uint64_t bytes, ByteWriter* w) {
  w->U32(shape.dims.size()).U32(shape.name.size()).U32(shape.type);
  for (const uint32_t dim : shape.dims) w->U32(dim);
  return w->Raw(shape.name).PadTo(alignment).Zeros(bytes);
}

struct Read {
  File file;
  std::vector<std::string> messages;
};

Read ParseText(const std::string& bytes, const Limits& limits = {}) {
  Diagnostics found(10);
  Read read{Parse(AsBytes(bytes), limits, &found), {}};
  for (const Diagnostic& d : found.kept()) {
    read.messages.push_back(absl::StrCat(d.rule->id, ": ", d.subject, " ", d.message));
  }
  return read;
}

TEST(ParseLegacyTest, AGgjtFileIsReadToItsEnd) {
  ByteWriter w = Llama("tjgg", 3);
  AddTensor({"v", {2}}, 32, 8, &w);
  const uint64_t second = w.bytes().size();
  AddTensor({"w", {4, 2}, 1}, 32, 16, &w);
  const std::string bytes = w.bytes();
  const auto [file, messages] = ParseText(bytes);
  EXPECT_THAT(messages, IsEmpty());
  EXPECT_FALSE(file.stop);
  EXPECT_STREQ(file.kind.format, "ggjt");
  EXPECT_EQ(file.version.value, 3u);
  EXPECT_EQ(file.alignment, 32u);
  EXPECT_EQ(file.progress, Progress::kTensors);
  EXPECT_EQ(file.legacy->Find("n_embd")->value, 4u);
  EXPECT_EQ(file.legacy->Find("n_ctx"), nullptr);
  ASSERT_EQ(file.tensors.size(), 2u);
  const TensorInfo& tensor = file.tensors[1];
  EXPECT_EQ(tensor.name.value, "w");
  EXPECT_EQ(tensor.ShapeText(), "[4, 2]");
  EXPECT_EQ(tensor.dims_where().begin, second + 12);
  EXPECT_EQ(tensor.dims_where().end, second + 20);
  EXPECT_EQ(tensor.offset.value % 32, 0u);
  EXPECT_EQ(tensor.offset.value + 16, bytes.size());
  EXPECT_EQ(*tensor.bytes, 16u);
}

TEST(ParseLegacyTest, TokensAreRawBytesWithScores) {
  const std::string bytes = Llama("fmgg", 1).bytes();
  const auto read = ParseText(bytes);
  std::vector<std::string> tokens;
  ForEachToken(read.file, [&](absl::string_view text, uint32_t score) {
    tokens.push_back(absl::StrCat(text, "/", absl::Hex(score)));
  });
  EXPECT_THAT(tokens, ElementsAre("a/3f800000", "/c0000000"));
}

TEST(ParseLegacyTest, TypesHaveTheMeaningOfTheVersion) {
  const struct {
    uint32_t version;
    uint32_t type;
    std::string name;
    uint64_t bytes;
  } kCases[] = {
      {1, 2, "Q4_0_QNT0", 20}, {2, 2, "Q4_0_QNT1", 20}, {3, 2, "Q4_0", 18},
      {1, 3, "Q4_1_QNT0", 24}, {2, 3, "Q4_1_QNT1", 24}, {3, 3, "Q4_1", 20},
      {1, 4, "Q4_2", 20},      {1, 5, "Q4_3", 24},      {1, 6, "Q5_0_QNT0", 22},
      {2, 6, "Q5_0", 22},      {2, 8, "Q8_0_QNT0", 36}, {3, 8, "Q8_0", 34},
  };
  for (const auto& c : kCases) {
    ByteWriter w = Llama("tjgg", c.version);
    AddTensor({"w", {32}, c.type}, 32, c.bytes, &w);
    const std::string bytes = w.bytes();
    const auto read = ParseText(bytes);
    EXPECT_THAT(read.messages, IsEmpty()) << c.name;
    ASSERT_EQ(read.file.tensors.size(), 1u) << c.name;
    EXPECT_EQ(read.file.tensors[0].type_info()->name, c.name);
  }
  for (const uint32_t version : {2u, 3u}) {
    ByteWriter w = Llama("tjgg", version);
    AddTensor({"w", {32}, 4}, 32, 20, &w);
    EXPECT_THAT(ParseText(w.bytes()).messages,
                ElementsAre("legacy-tensor-type-known: tensor[w].type is 4, which this version of "
                            "the format does not define"));
  }
}

TEST(ParseLegacyTest, TheVersionDistinguishesRwkvFromGgmf) {
  for (const uint32_t version : {100u, 101u}) {
    ByteWriter w = New();
    w.Raw("fmgg").U32(version).U32(2).U32(4).U32(1).U32(0);
    AddTensor({"w", {1, 2, 2}, 0}, 1, 16, &w);
    AddTensor({"v", {32}, 7}, 1, 22, &w);
    const std::string bytes = w.bytes();
    const auto read = ParseText(bytes);
    EXPECT_THAT(read.messages, IsEmpty());
    EXPECT_STREQ(read.file.kind.format, "rwkv.cpp");
    ASSERT_EQ(read.file.tensors.size(), 2u);
    EXPECT_STREQ(read.file.tensors[1].type_info()->name, version == 100 ? "Q5_0_QNT0" : "Q5_0");
  }
  EXPECT_THAT(
      ParseText(Llama("fmgg", 102).bytes()).messages,
      ElementsAre("legacy-version-known: header.version is 102, which is no version of ggmf"));
}

// The same tokens and tensor after the hyper-parameters of each family.
TEST(ParseLegacyTest, TheFamilyOfAGgmlFileIsGuessed) {
  const struct {
    std::string family;
    std::vector<uint32_t> hparams;
    bool has_size;
    bool has_scores;
  } kCases[] = {
      {"llama", {2, 4, 4, 2, 1, 2, 0}, false, false},
      {"gpt-2", {29, 8, 4, 2, 1, 0}, true, false},
      {"gpt-j", {29, 8, 4, 2, 1, 2, 0}, true, false},
      {"gpt-neox", {2, 8, 4, 2, 1, 2, 1, 0}, false, false},
      {"mpt", {4, 8, 2, 1, 2, 0x41000000, 0, 0}, false, false},
      {"replit", {4, 8, 2, 1, 2, 0}, false, true},
  };
  for (const auto& c : kCases) {
    ByteWriter w = New();
    w.Raw("lmgg");
    for (const uint32_t hparam : c.hparams) w.U32(hparam);
    // So many tokens that their number is not an ftype of another family.
    const uint32_t tokens = c.has_size ? 29 : 2;
    if (c.has_size) w.U32(tokens);
    for (uint32_t i = 0; i < tokens; ++i) {
      w.String("ab");
      if (c.has_scores) w.U32(0);
    }
    AddTensor({"w", {4, 2}}, 1, 32, &w);
    const std::string bytes = w.bytes();
    const auto read = ParseText(bytes);
    EXPECT_THAT(read.messages, IsEmpty()) << c.family;
    EXPECT_EQ(read.file.legacy->family->name, c.family);
    EXPECT_THAT(read.file.legacy->also, IsEmpty()) << c.family;
    EXPECT_STREQ(read.file.kind.format, "ggml");
  }
}

TEST(ParseLegacyTest, BothFamiliesOfAnAmbiguousFileAreKept) {
  ByteWriter w = New();
  w.Raw("lmgg");
  for (const uint32_t hparam : {1, 4, 4, 2, 1, 2, 1}) w.U32(hparam);
  w.String("abc");
  const std::string bytes = w.bytes();
  const auto read = ParseText(bytes);
  EXPECT_STREQ(read.file.legacy->family->name, "llama");
  ASSERT_EQ(read.file.legacy->also.size(), 1u);
  EXPECT_STREQ(read.file.legacy->also[0]->name, "gpt-2");
}

TEST(ParseLegacyTest, ACutFileIsGuessedByItsHparams) {
  ByteWriter w = New();
  w.Raw("lmgg");
  for (const uint32_t hparam : {51864, 1500, 384, 6, 4, 448, 384, 6, 4, 80, 1}) {
    w.U32(hparam);
  }
  const auto read = ParseText(w.bytes());
  EXPECT_STREQ(read.file.legacy->family->name, "whisper");
  EXPECT_STREQ(read.file.kind.format, "whisper-ggml");
  EXPECT_THAT(read.messages,
              ElementsAre("file-complete: filters.n_mel needs 4 bytes, but the file ends after 0"));
}

TEST(ParseLegacyTest, DataWithoutPaddingIsRecognized) {
  ByteWriter w = Llama("tjgg", 3);
  AddTensor({"v", {2}}, 1, 8, &w);
  AddTensor({"w", {4}}, 1, 16, &w);
  const std::string bytes = w.bytes();
  const auto read = ParseText(bytes);
  EXPECT_THAT(read.messages, IsEmpty());
  EXPECT_EQ(read.file.alignment, 1u);
  EXPECT_EQ(read.file.tensors.size(), 2u);
}

TEST(ParseLegacyTest, AFaultThatHidesTheNextTensorStops) {
  const auto messages = [](const Shape& shape, uint64_t bytes) {
    ByteWriter w = Llama("fmgg", 1);
    AddTensor(shape, 1, bytes, &w);
    return ParseText(w.bytes()).messages;
  };
  EXPECT_THAT(
      messages({"w", {4}}, 15),
      ElementsAre("file-complete: tensor[w].data needs 16 bytes, but the file ends after 15"));
  EXPECT_THAT(messages({"w", {1, 1, 1, 1, 1}}, 4),
              ElementsAre("legacy-dimension-count: tensor[#0].n_dims is 5, more than 4"));
  EXPECT_THAT(messages({"w", {4}, 9}, 36),
              ElementsAre("legacy-tensor-type-known: tensor[w].type is 9, which this version of "
                          "the format does not define"));
  EXPECT_THAT(messages({"w", {33}, 2}, 20),
              ElementsAre("legacy-tensor-size-known: tensor[w].dims are [33], which no tensor of "
                          "Q4_0_QNT0 (in blocks of 32) can have"));
  EXPECT_THAT(messages({"w", {0x7FFFFFFF, 0x7FFFFFFF, 8}}, 4),
              ElementsAre(HasSubstr("legacy-tensor-size-known")));
  EXPECT_THAT(messages({"w", {0x80000000}}, 4), ElementsAre(HasSubstr("legacy-tensor-size-known")));
  EXPECT_THAT(messages({"w", {0, 0x80000000}}, 0),
              ElementsAre(HasSubstr("legacy-tensor-size-known")));
}

TEST(ParseLegacyTest, LimitsStopIt) {
  ByteWriter w = Llama("fmgg", 1);
  AddTensor({"v", {4}}, 1, 16, &w);
  AddTensor({"w", {4}}, 1, 16, &w);
  Limits limits;
  limits.tensors = 1;
  const std::string bytes = w.bytes();
  const auto read = ParseText(bytes, limits);
  ASSERT_TRUE(read.file.stop);
  EXPECT_EQ(read.file.stop->kind, Stop::kNotDone);
  EXPECT_THAT(read.file.stop->Why(), HasSubstr("the limit of 1 tensors"));
  // Tensor data is not metadata.
  limits = Limits();
  limits.metadata_bytes = bytes.size() - 32;
  EXPECT_FALSE(ParseText(bytes, limits).file.stop);
  limits.metadata_bytes = bytes.size() - 33;
  EXPECT_TRUE(ParseText(bytes, limits).file.stop);
}

// An importance matrix of two tensors, the second with two experts.
ByteWriter Sums() {
  ByteWriter w = New();
  w.U32(2);
  w.String("blk.0.attn_q.weight").U32(100).U32(8).Zeros(32);
  w.String("blk.0.ffn_up_exps.weight").U32(99).U32(16).Zeros(64);
  return w;
}

TEST(ParseLegacyTest, AnImportanceMatrixIsReadToItsEnd) {
  for (const bool with_dataset : {false, true}) {
    ByteWriter w = Sums();
    if (with_dataset) w.U32(100).String("calibration.txt");
    const std::string bytes = w.bytes();
    const auto [file, messages] = ParseText(bytes);
    EXPECT_THAT(messages, IsEmpty());
    EXPECT_STREQ(file.kind.format, "imatrix.dat");
    EXPECT_EQ(file.progress, Progress::kTensors);
    EXPECT_EQ(AboutLegacy(file).substr(0, 20), "an importance matrix");
    ASSERT_EQ(file.tensors.size(), 2u);
    EXPECT_EQ(file.tensors[1].name.value, "blk.0.ffn_up_exps.weight");
    EXPECT_EQ(file.tensors[1].ShapeText(), "[16]");
    EXPECT_EQ(*file.tensors[1].bytes, 64u);
    EXPECT_EQ(file.tensors[0].offset.value, 4u + 4 + 19 + 8);
    EXPECT_EQ(file.legacy->numbers[0].begin, 4u + 4 + 19);
  }
}

TEST(ParseLegacyTest, AnImportanceMatrixThatIsCutOrTooLong) {
  const std::string whole = Sums().bytes();
  EXPECT_THAT(
      ParseText(whole.substr(0, whole.size() - 1)).messages,
      ElementsAre(HasSubstr("legacy-counts-fit: tensor[blk.0.ffn_up_exps.weight].dims is 16")));
  EXPECT_THAT(ParseText(whole + std::string("\1\0\0\0\0\0\0\0x", 9)).messages,
              ElementsAre(HasSubstr("legacy-records-whole: header.dataset ends 1 byte before")));
  std::string many = whole;
  many[2] = 1;
  EXPECT_THAT(ParseText(many).messages,
              ElementsAre(HasSubstr("legacy-counts-fit: header.n_entries is 65538")));
}

}  // namespace
}  // namespace gguf
