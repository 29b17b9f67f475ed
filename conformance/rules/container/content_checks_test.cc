// Files that are not what was published, each by the rule that it breaks.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kPage = 4096;

// Two tensors of 16 rows of 8 KiB, of one byte, whose data begins at 4096.
struct TwoMatrices {
  TwoMatrices() {
    GgufBuilder b = PlainFile();
    b.Tensor("a", {2048, 16}, 0).Tensor("b", {2048, 16}, 0);
    b.data_bytes = 0;
    const size_t tables = b.Build().size();
    b.String("pad", std::string(kPage - tables - 23, 'x'));
    bytes = b.Build();
    EXPECT_EQ(bytes.size(), kPage);
    bytes.append(32 * 8192, '\x3c');
  }
  void Zero(uint64_t begin, uint64_t end) {
    bytes.replace(kPage + begin, end - begin, std::string(end - begin, '\0'));
  }
  std::string bytes;
};

const char* const kRules[] = {"tensor-data-filled", "tensor-rows-filled", "header-once",
                              "shards-not-joined",  "file-not-converted", "file-holds-no-program",
                              "no-trailing-data"};

// Returns lines such as "error header-once", of the rules above.
std::vector<std::string> LinesOf(const FileReport& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    for (const char* id : kRules) {
      if (finding.diagnostic.rule->id != absl::string_view(id)) continue;
      lines.push_back(absl::StrCat(SeverityName(finding.severity), " ", id));
    }
  }
  return lines;
}

FileReport Check(const std::string& bytes, bool weights, const std::vector<Range>* holes = nullptr,
                 unsigned jobs = 1) {
  CheckOptions options;
  options.weights = weights;
  Work work;
  work.jobs = jobs;
  Source source(AsBytes(bytes), "");
  source.holes = holes;
  return Validate(source, *Profile::Find("upload"), options, {}, work);
}

// Returns the findings about a file with zeros in [begin, end) of its data, which a scan and the
// holes of the file both show.
std::vector<std::string> WithZeros(uint64_t begin, uint64_t end) {
  TwoMatrices file;
  file.Zero(begin, end);
  const std::vector<std::string> scanned = LinesOf(Check(file.bytes, true));
  // A hole has whole pages.
  const uint64_t hole = (kPage + begin + kPage - 1) / kPage * kPage;
  const uint64_t hole_end = (kPage + end) / kPage * kPage;
  std::vector<Range> holes;
  if (hole < hole_end) holes.push_back({hole, hole_end});
  EXPECT_EQ(LinesOf(Check(file.bytes, false, &holes)), scanned);
  return scanned;
}

TEST(DataFilledTest, ZerosAreJudgedByRowsAndPages) {
  constexpr uint64_t kTensor = 16 * 8192;
  // Rows, and what is no page.
  EXPECT_THAT(WithZeros(0, 0), IsEmpty());
  EXPECT_THAT(WithZeros(8192, 3 * 8192), IsEmpty());
  EXPECT_THAT(WithZeros(15 * 8192, kTensor), IsEmpty());
  EXPECT_THAT(WithZeros(kTensor + 8192, 2 * kTensor), IsEmpty());
  EXPECT_THAT(WithZeros(4096, 8191), IsEmpty());
  EXPECT_THAT(WithZeros(4097, 12000), IsEmpty());
  // A few bytes of the next row, or of the next tensor, are zero by chance.
  EXPECT_THAT(WithZeros(8192 - 60, 3 * 8192 + 60), IsEmpty());
  EXPECT_THAT(WithZeros(15 * 8192, kTensor + 60), IsEmpty());
  // Pages inside one tensor.
  EXPECT_THAT(WithZeros(4096, 4096 + 8192), ElementsAre("warning tensor-rows-filled"));
  EXPECT_THAT(WithZeros(2 * 8192 - 65, 4 * 8192 + 65), ElementsAre("warning tensor-rows-filled"));
  // Into the next tensor, and to the end.
  EXPECT_THAT(WithZeros(kTensor - 4096, kTensor + 4096), ElementsAre("error tensor-data-filled"));
  EXPECT_THAT(WithZeros(kTensor - 4096, kTensor + 8192), ElementsAre("error tensor-data-filled"));
  EXPECT_THAT(WithZeros(2 * kTensor - 4096, 2 * kTensor), ElementsAre("error tensor-data-filled"));
}

TEST(DataFilledTest, AMebibyteIsNoPadding) {
  GgufBuilder b = PlainFile();
  b.Tensor("a", {1 << 20}, 0);
  b.data_bytes = 0;
  b.after_data.assign(4 << 20, '\x3c');
  const auto check = [&](uint64_t zeros) {
    GgufBuilder with = b;
    with.after_data.replace(1 << 20, zeros, std::string(zeros, '\0'));
    return LinesOf(Check(with.Build(), true));
  };
  EXPECT_THAT(check((1 << 20) - 4096), ElementsAre("warning tensor-rows-filled"));
  EXPECT_THAT(check((1 << 20) + 8192), ElementsAre("error tensor-data-filled"));
}

TEST(DataFilledTest, TheReportDependsOnNoThreads) {
  GgufBuilder b = PlainFile();
  b.Tensor("a", {5 << 20}, 0).Tensor("b", {64}, 0).Tensor("c", {1 << 20}, 0);
  b.data_bytes = 0;
  b.after_data.assign(25 << 20, '\x3c');
  b.after_data.replace(3 << 20, 18 << 20, std::string(18 << 20, '\0'));
  const std::string bytes = b.Build();
  const FileReport one = Check(bytes, true, nullptr, 1);
  const FileReport four = Check(bytes, true, nullptr, 4);
  ASSERT_EQ(one.causes.size(), 1u);
  EXPECT_EQ(one.causes[0].id, "never-filled");
  EXPECT_EQ(one.causes[0].message, four.causes[0].message);
  EXPECT_THAT(one.causes[0].message, HasSubstr(absl::StrCat(", ", 18 << 20, " bytes in all,")));
}

TEST(DataFilledTest, WithoutHolesAndWeightsItIsNotChecked) {
  const TwoMatrices file;
  const auto is_checked = [](const FileReport& report) {
    for (const FileReport::NotChecked& rule : report.not_checked) {
      if (rule.rule->id != absl::string_view("tensor-data-filled")) continue;
      EXPECT_EQ(rule.meaning, Reason::kNotRequested);
      return false;
    }
    return true;
  };
  const std::vector<Range> none;
  EXPECT_FALSE(is_checked(Check(file.bytes, false)));
  EXPECT_TRUE(is_checked(Check(file.bytes, false, &none)));
  EXPECT_TRUE(is_checked(Check(file.bytes, true)));
}

TEST(HeaderOnceTest, AResumedDownloadThatStartedOver) {
  const TwoMatrices whole;
  for (const uint64_t at : {uint64_t{70}, kPage - 31, kPage + 8192, kPage + 16 * 8192 + 5}) {
    const std::string again = whole.bytes.substr(0, at) + whole.bytes;
    const FileReport report = Check(again, false);
    ASSERT_EQ(report.causes.size(), 1u) << at;
    EXPECT_EQ(report.causes[0].message,
              absl::StrCat("The file begins again at ", at,
                           ": a download that was to be resumed started over."));
    // Only a scan finds it in a file of the right size.
    if (at < kPage + 8192) continue;
    const std::string cut = again.substr(0, whole.bytes.size());
    EXPECT_THAT(LinesOf(Check(cut, false)), IsEmpty());
    EXPECT_THAT(LinesOf(Check(cut, true)), ElementsAre("error header-once"));
  }
}

TEST(ShardsNotJoinedTest, TheyAreCounted) {
  const auto shard = [](uint32_t number) {
    GgufBuilder b = PlainFile();
    b.U32("split.no", number).U32("split.count", 3).Tensor(absl::StrCat("t", number), {100}, 0);
    return b.Build();
  };
  EXPECT_THAT(LinesOf(Check(shard(0), false)), IsEmpty());
  EXPECT_THAT(LinesOf(Check(shard(0) + shard(1), false)), ElementsAre("error shards-not-joined"));
  const FileReport report = Check(shard(2) + shard(0) + shard(1), false);
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_THAT(report.causes[0].message,
              HasSubstr("The file has 3 shards of a model, one after the other."));
  // Another model is no shard, and the last shard may be truncated.
  EXPECT_THAT(LinesOf(Check(shard(0) + FileWithTensor().Build(), false)),
              ElementsAre("warning no-trailing-data"));
  EXPECT_THAT(LinesOf(Check(shard(0) + shard(1).substr(0, shard(1).size() - 64), false)),
              ElementsAre("error shards-not-joined"));
}

TEST(FileNotConvertedTest, BrokenFilesOnly) {
  TwoMatrices file;
  std::string binary;
  for (int i = 0; i < 256; ++i) binary += static_cast<char>(i);
  for (uint64_t at = kPage; at + 256 <= file.bytes.size(); at += 256) {
    file.bytes.replace(at, 256, binary);
  }
  EXPECT_THAT(LinesOf(Check(file.bytes + "x", false)), ElementsAre("warning no-trailing-data"));
  std::string lines, replaced;
  for (const char c : file.bytes) {
    lines += c == '\n' ? "\r\n" : std::string(1, c);
    replaced += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : "\xef\xbf\xbd"s;
  }
  for (const std::string& damaged : {lines, replaced}) {
    const FileReport report = Check(damaged, false);
    ASSERT_EQ(report.causes.size(), 1u);
    EXPECT_EQ(report.causes[0].id, "damaged-in-transport");
    EXPECT_EQ(report.causes[0].findings, report.findings.size());
    EXPECT_THAT(LinesOf(report), Contains("error file-not-converted"));
  }
}

TEST(FileHoldsNoProgramTest, InValuesAndAfterTheData) {
  const auto text = [](absl::string_view value) {
    return LinesOf(Check(PlainFile().String("vendor.x", value).Build(), false));
  };
  EXPECT_THAT(text("#!/bin/sh\n"), ElementsAre("error file-holds-no-program"));
  EXPECT_THAT(text("PK\3\4\0\0"s), ElementsAre("error file-holds-no-program"));
  EXPECT_THAT(text("BZhang's model"), IsEmpty());
  EXPECT_THAT(text("# A heading"), IsEmpty());
  const auto array = [](absl::string_view bytes) {
    ByteWriter value;
    value.U32(0).U64(bytes.size()).Raw(bytes);
    return LinesOf(Check(PlainFile().Key("vendor.x", 9, value).Build(), false));
  };
  EXPECT_THAT(array("\x7f\x45LF\2\1\1\0"s), ElementsAre("error file-holds-no-program"));
  EXPECT_THAT(array("\x80\4c\0."s), ElementsAre("error file-holds-no-program"));
  EXPECT_THAT(array("\x80\4c\0"s), IsEmpty());
  const std::string file = FileWithTensor().Build();
  EXPECT_THAT(LinesOf(Check(file + "PK\3\4"s + std::string(30, '\0'), false)),
              ElementsAre("error file-holds-no-program"));
  EXPECT_THAT(LinesOf(Check(file + "xx" + "PK\5\6"s + std::string(18, '\0'), false)),
              ElementsAre("error file-holds-no-program"));
  EXPECT_THAT(LinesOf(Check(file + "x", false)), ElementsAre("warning no-trailing-data"));
}

}  // namespace
}  // namespace gguf
