// Tests that faults of framing and header are reported, each by the rule that
// it violates.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kMax = ~uint64_t{0};

TEST(HeaderChecksTest, GoodFilesOfEveryVersionHaveNoErrors) {
  EXPECT_THAT(Findings(FileWithTensor().Build()), IsEmpty());
  EXPECT_THAT(Findings(PlainFile().Build()), IsEmpty());
  EXPECT_THAT(Findings(PlainFile(2).Build()),
              ElementsAre("warning header-version-current header.version"));
  EXPECT_THAT(Findings(PlainFile(1).Build()),
              ElementsAre("warning header-version-current header.version"));
  EXPECT_THAT(Findings(PlainFile(3, true).Build()),
              ElementsAre("note header-endian-little header.version"));
  EXPECT_THAT(Findings(GgufBuilder().Build()), IsEmpty());  // 24 bytes.
}

TEST(HeaderChecksTest, AFileCutInsideItsHeaderIsIncomplete) {
  const std::string header = GgufBuilder().Build();
  ASSERT_EQ(header.size(), 24u);
  for (size_t size = 0; size < header.size(); ++size) {
    const std::string field = size < 4    ? "magic"
                              : size < 8  ? "version"
                              : size < 16 ? "tensor_count"
                                          : "metadata_kv_count";
    EXPECT_THAT(Findings(header.substr(0, size)),
                ElementsAre("error file-complete header." + field))
        << size;
  }
}

TEST(HeaderChecksTest, FaultsOfTheHeader) {
  const std::string header = GgufBuilder().Build();
  const auto with_magic = [&](const std::string& magic) {
    return magic + header.substr(magic.size());
  };
  const auto with_version = [](uint32_t version) {
    GgufBuilder b = PlainFile();
    b.header_version = version;
    return b.Build();
  };
  const auto with_counts = [](uint64_t tensors, uint64_t keys) {
    GgufBuilder b = PlainFile();
    b.U32("a.b", 1).U32("a.c", 2);
    b.Tensor("v", {32}, 0).Tensor("w", {32}, 0);
    if (tensors != 2) b.tensor_count = tensors;
    if (keys != 3) b.key_count = keys;
    return b.Build();
  };
  const std::vector<std::string> bad_magic = {"error header-magic header.magic"};
  const std::vector<std::string> bad_version = {"error header-version-known header.version"};
  const std::vector<std::string> bad_key_count = {
      "error header-counts-fit header.metadata_kv_count"};
  const std::vector<std::string> bad_tensor_count = {"error header-counts-fit header.tensor_count"};
  ExpectFindings({
      {"magic: byte-swapped", with_magic("FUGG"), bad_magic},
      {"magic: lower case", with_magic("gguf"), bad_magic},
      {"magic: unprintable", with_magic("\xFF\xFE\x1b\x07"), bad_magic},
      {"magic: GGML, byte-swapped", with_magic("ggml"), bad_magic},
      {"magic: GGMF", with_magic("fmgg"), {"error legacy-version-known header.version"}},
      {"magic: GGJT", with_magic("tjgg"), {"error file-complete header.n_layer"}},
      {"magic: one letter off", with_magic("GGUE"), bad_magic},
      {"version 0", with_version(0), bad_version},
      {"version 4", with_version(4), bad_version},
      {"version 2^32-1", with_version(0xFFFFFFFF), bad_version},
      {"version 4, big endian", with_version(0x04000000), bad_version},
      {"big-endian header, little-endian body",
       with_version(0x03000000),
       {"note header-endian-little header.version",
        "error header-counts-fit header.metadata_kv_count"}},
      {"version 1, layout of version 3", with_version(1), bad_version},
      {"keys: wraps when multiplied by 48", with_counts(2, 0x0555555555555556), bad_key_count},
      {"keys: 2^31", with_counts(2, uint64_t{1} << 31), bad_key_count},
      {"keys: 2^32+1", with_counts(2, (uint64_t{1} << 32) + 1), bad_key_count},
      {"keys: 2^63", with_counts(2, uint64_t{1} << 63), bad_key_count},
      {"keys: 2^64-1", with_counts(2, kMax), bad_key_count},
      {"tensors: wraps when multiplied by 88", with_counts(0x02E8BA2E8BA2E8BB, 3),
       bad_tensor_count},
      {"tensors: 2^31", with_counts(uint64_t{1} << 31, 3), bad_tensor_count},
      {"tensors: 2^32+1", with_counts((uint64_t{1} << 32) + 1, 3), bad_tensor_count},
      {"tensors: 2^63", with_counts(uint64_t{1} << 63, 3), bad_tensor_count},
      {"tensors: 2^64-1", with_counts(kMax, 3), bad_tensor_count},
      // The third key is read as a tensor: its type 4 as n_dims, and so on.
      {"one key too few",
       with_counts(2, 2),
       {"warning tensor-dimensions-nonzero tensor[a.c].dims",
        "error tensor-elements-representable tensor[a.c].dims",
        "error file-complete tensor[#1].name"}},
  });
}

TEST(HeaderChecksTest, WhatFollowsTheDataIsShown) {
  GgufBuilder junk = FileWithTensor();
  junk.after_data = "junk";
  GgufBuilder second = FileWithTensor();
  second.after_data = FileWithTensor().Build();
  const std::vector<std::string> expected = {"warning no-trailing-data file"};
  ExpectFindings({
      {"trailing bytes", junk.Build(), expected},
      {"two models in one file", second.Build(), {}},  // header-once
      {"trailing bytes without tensors",
       GgufBuilder().Build() + std::string(40, 'x'),
       {"warning padding-zero file.padding", "warning no-trailing-data file"}},
  });
}

TEST(HeaderChecksTest, ProfilesDisagreeWhereTheTableSaysSo) {
  const std::string v1 = PlainFile(1).Build();
  EXPECT_THAT(Findings(v1, "llama.cpp"),
              ElementsAre("error header-version-loadable header.version"));
  EXPECT_THAT(Findings(v1, "safety"), IsEmpty());
  const std::string big = PlainFile(3, true).Build();
  EXPECT_THAT(Findings(big, "llama.cpp"), ElementsAre("error header-endian-little header.version"));
}

}  // namespace
}  // namespace gguf
