// Tests which bytes digests cover, and what a manifest contains.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/digest.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/model/tensor_data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kI8 = 24;

// Digests of FIPS 180-4's example "abc", and of no bytes.
constexpr char kOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kOfNothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::optional<FileDigest> DigestOf(const std::string& bytes, const DigestOptions& options = {}) {
  Diagnostics found(1);
  const File file = Parse(AsBytes(bytes), Limits(), &found);
  return DigestFile(file, DataRanges(file), options);
}

// Two tensors of three bytes each, the first of which are "abc".
std::string TwoTensors() {
  std::string bytes = GgufBuilder().Tensor("a", {3}, kI8).Tensor("b\xFF", {3}, kI8).Build();
  bytes.replace(bytes.size() - 64, 3, "abc");
  return bytes;
}

TEST(DigestTest, IsOfTheDataAlone) {
  const auto digest = DigestOf(TwoTensors());
  ASSERT_THAT(digest->tensors, SizeIs(2));
  EXPECT_EQ(digest->tensors[0].name, "a");
  EXPECT_EQ(digest->tensors[0].size, 3);
  EXPECT_EQ(digest->tensors[0].sha256, kOfAbc);
  EXPECT_EQ(digest->size, TwoTensors().size());
}

TEST(DigestTest, ATensorWithoutDataHasTheDigestOfNothing) {
  const auto digest = DigestOf(GgufBuilder().Tensor("a", {0}, kI8).Build());
  EXPECT_EQ(digest->tensors[0].sha256, kOfNothing);
}

// Each byte of the file is covered by exactly one digest.
TEST(DigestTest, EveryByteCounts) {
  const std::string bytes = TwoTensors();
  const FileDigest before = *DigestOf(bytes);
  for (size_t i = bytes.size() - 64; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] ^= 1;
    const FileDigest after = *DigestOf(changed);
    const int differences = (before.metadata != after.metadata) +
                            (before.tensors[0].sha256 != after.tensors[0].sha256) +
                            (before.tensors[1].sha256 != after.tensors[1].sha256);
    EXPECT_EQ(differences, 1) << i;
  }
}

TEST(DigestTest, ThreadsChangeNothing) {
  GgufBuilder builder;
  for (int i = 0; i < 50; ++i) {
    builder.Tensor("t" + std::to_string(i), {uint64_t(1 + i * 500)}, kI8);
  }
  const std::string bytes = builder.Build();
  DigestOptions many;
  many.jobs = 8;
  EXPECT_EQ(WriteDigests({{"", *DigestOf(bytes)}}), WriteDigests({{"", *DigestOf(bytes, many)}}));
}

TEST(DigestTest, CanBeStopped) {
  DigestOptions options;
  options.stop = [] { return true; };
  EXPECT_FALSE(DigestOf(TwoTensors(), options).has_value());
}

TEST(DigestManifestTest, WhatIsWrittenReadsAgain) {
  const std::string text = WriteDigests(
      {{"x/\xFE.gguf", *DigestOf(TwoTensors())}, {"y.gguf", *DigestOf(GgufBuilder().Build())}});
  const auto read = ReadDigests(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WriteDigests(read->files()), text);
  EXPECT_EQ(read->files()[0].path, "x/\xFE.gguf");
  EXPECT_EQ(read->files()[0].digest.tensors[1].name, "b\xFF");
}

TEST(DigestManifestTest, IsATensorALine) {
  const std::string sha256(64, 'a');
  EXPECT_EQ(WriteDigests({{"a \"\n\\n{", {7, sha256, {{"x\t", 3, sha256}, {"\xFF", 4, sha256}}}},
                          {"b", {9, sha256, {}}}}),
            absl::StrReplaceAll(R"({"schema":"ggufcheck/digest/1",
"files":[
{"path":"a \"\u000a\\n{","size":7,
 "metadata":"SHA",
 "tensors":[
  {"name":"x\u0009","size":3,"sha256":"SHA"},
  {"name_hex":"ff","size":4,"sha256":"SHA"}]},
{"path":"b","size":9,
 "metadata":"SHA",
 "tensors":[]}]}
)",
                                {{"SHA", sha256}}));
  EXPECT_EQ(WriteDigests({}), "{\"schema\":\"ggufcheck/digest/1\",\n\"files\":[]}\n");
}

TEST(DigestManifestTest, FindsThePathOrTheOnlyBaseName) {
  const DigestManifest manifest({{"x/a", {1}}, {"y/a", {2}}, {"y/b", {3}}});
  EXPECT_EQ(manifest.Find("y/a")->size, 2);
  EXPECT_EQ(manifest.Find("z/b")->size, 3);
  EXPECT_EQ(manifest.Find("z/a"), nullptr);
  EXPECT_EQ(manifest.Find("c"), nullptr);
}

// A linear search for each file would take minutes.
TEST(DigestManifestTest, FindsEachOfManyFiles) {
  std::vector<DigestEntry> files;
  for (uint64_t i = 0; i < 200000; ++i) {
    files.push_back({absl::StrCat("models/", i, ".gguf"), {i}});
  }
  const DigestManifest manifest(std::move(files));
  for (const DigestEntry& file : manifest.files()) {
    ASSERT_EQ(manifest.Find(file.path), &file.digest);
  }
}

TEST(DigestManifestTest, OtherTextsAreRefused) {
  const auto error = [](const std::string& text) {
    return std::string(ReadDigests(text).status().message());
  };
  const std::string good = WriteDigests({{"a", *DigestOf(TwoTensors())}});
  EXPECT_THAT(error(good), IsEmpty());
  EXPECT_THAT(error(""), HasSubstr("not a manifest of ggufcheck digest"));
  EXPECT_THAT(error("{}"), HasSubstr("schema"));
  EXPECT_THAT(error("{\"schema\":1,\"files\":[]}"), HasSubstr("schema"));
  std::string broken = good;
  broken.replace(broken.find(kOfAbc), 1, "B");
  EXPECT_THAT(error(broken), HasSubstr("64 lower-case hex digits"));
  for (const char* size : {"3.5", "1e300", "-3", "\"3\""}) {
    EXPECT_EQ(
        error(absl::StrReplaceAll(good, {{"\"size\":3,", absl::StrCat("\"size\":", size, ",")}})),
        "not a manifest of ggufcheck digest: files[0].tensors[0].size is not "
        "an unsigned integer");
  }
  EXPECT_THAT(error(absl::StrReplaceAll(good, {{"\"a\"", "7"}})),
              HasSubstr("files[0].path is not a string"));
  EXPECT_THAT(error(absl::StrReplaceAll(good, {{"\"62ff\"", "\"62f\""}})),
              HasSubstr("files[0].tensors[1].name_hex is not hex"));
}

}  // namespace
}  // namespace gguf
