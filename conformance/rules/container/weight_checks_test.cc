// Faults of the weights, each by the rule that it breaks.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kF32 = 0, kF16 = 1, kQ4_0 = 2, kI32 = 26;

// Checks the weights of `builder`'s file with `data` as its data section.
FileReport CheckWeights(GgufBuilder builder, const ByteWriter& data, unsigned jobs = 1) {
  builder.data_bytes = 0;
  builder.after_data = data.bytes();
  const std::string bytes = builder.Build();
  CheckOptions options;
  options.weights = true;
  Work work;
  work.jobs = jobs;
  FileReport report = Validate(AsBytes(bytes), *Profile::Find("upload"), options, {}, work);
  LeaveOutModels(&report);
  return report;
}

std::vector<std::string> Lines(const FileReport& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    lines.push_back(std::string(finding.diagnostic.rule->id) + ": " + finding.diagnostic.subject +
                    " " + finding.diagnostic.message);
  }
  return lines;
}

TEST(WeightChecksTest, NanAndInfinityInPlainTypes) {
  GgufBuilder b;
  b.Tensor("w", {4, 2}, kF32).Tensor("h", {16}, kF16);
  ByteWriter data;
  data.U32(1).U32(2).U32(3).U32(0x7FC00000).U32(0).U32(0xFF800000).U32(1).U32(1);
  data.U16(0x7BFF).U16(0x7C00).Zeros(28);
  const FileReport report = CheckWeights(b, data);
  EXPECT_THAT(
      Lines(report),
      ElementsAre("weights-finite: tensor[w].data has 2 weights that are "
                  "NaN or infinite, which spreads to every result; the first is element 3",
                  "weights-finite: tensor[h].data has 1 weight that is "
                  "NaN or infinite, which spreads to every result; the first is element 1"));
  const Range where = report.findings[0].diagnostic.where;
  EXPECT_EQ(where.size(), 4u);
  EXPECT_EQ((where.begin - 12) % 32, 0u);  // The fourth f32 of the data.
}

TEST(WeightChecksTest, AScaleIsReportedInsteadOfItsWeights) {
  GgufBuilder b;
  b.Tensor("w", {64}, kQ4_0);
  ByteWriter data;
  data.U16(0x3C00).Zeros(15).U8(7).U16(0x7E00).Zeros(16).PadTo(32);
  EXPECT_THAT(
      Lines(CheckWeights(b, data)),
      ElementsAre("weights-scale-finite: tensor[w].data has 1 block whose scale is NaN or "
                  "infinite, which spreads to every result; the first is block 1, of element 32"));
}

TEST(WeightChecksTest, IndexesPointIntoTheirTable) {
  GgufBuilder b;
  b.String("general.architecture", "deepseek4");
  b.U32("deepseek4.expert_count", 4);
  b.Tensor("blk.0.ffn_gate_tid2eid.weight", {2, 4}, kI32);
  ByteWriter good, bad;
  good.U32(0).U32(1).U32(2).U32(3).U32(0).U32(0).U32(0).U32(0);
  bad.U32(0).U32(4).U32(0xFFFFFFFF).U32(3).U32(0).U32(0).U32(0).U32(0);
  EXPECT_THAT(Lines(CheckWeights(b, good)), IsEmpty());
  EXPECT_THAT(
      Lines(CheckWeights(b, bad)),
      ElementsAre("weights-index-in-range: tensor[blk.0.ffn_gate_tid2eid.weight].data has "
                  "2 values outside the range from 0 to 4 (4 excluded); the first is element 1"));
}

TEST(WeightChecksTest, OneValueOverAndOverIsNoted) {
  GgufBuilder b;
  b.Tensor("zeros", {8}, kF32).Tensor("ones", {8}, kF32);
  b.Tensor("scalar", {1}, kF32).Tensor("blocks", {64}, kQ4_0);
  ByteWriter data;
  data.Zeros(32);
  for (int i = 0; i < 8; ++i) data.U32(0x3F800000);
  data.U32(7).PadTo(32);
  // Zero by different scales: other bytes, the same weights.
  data.U16(0x3C00);
  for (int i = 0; i < 16; ++i) data.U8(0x88);
  data.U16(0x4000);
  for (int i = 0; i < 16; ++i) data.U8(0x88);
  data.PadTo(32);
  EXPECT_THAT(
      Lines(CheckWeights(b, data)),
      ElementsAre(
          "weights-not-constant: tensor[zeros].data has 8 weights, all of the same value",
          "weights-not-constant: tensor[ones].data has 8 weights, all of the same value",
          "weights-not-constant: tensor[blocks].data has 64 weights, all of the same value"));
}

TEST(WeightChecksTest, ManyThreadsFindWhatOneFinds) {
  // 3,000 small tensors and one of several pieces, with a fault in each.
  GgufBuilder b;
  ByteWriter data;
  for (int i = 0; i < 3000; ++i) {
    b.Tensor("t" + std::to_string(i), {8}, kF32);
    data.U32(i + 1).U32(i % 1000 == 7 ? 0x7F800000 : 0).Zeros(24);
  }
  b.Tensor("big", {5 << 20}, kF32);
  data.U32(5).Zeros((4u << 20) * 4).U32(0x7FC00000).Zeros(((1u << 20) - 2) * 4);
  const auto one = Lines(CheckWeights(b, data, 1));
  EXPECT_EQ(one.size(), 4u);
  EXPECT_THAT(one.back(), testing::HasSubstr("the first is element 4194305"));
  EXPECT_EQ(Lines(CheckWeights(b, data, 4)), one);
}

TEST(WeightChecksTest, MisplacedTensorsAreNotReadAndSaidSo) {
  GgufBuilder b;
  b.Tensor("w", {8}, kF32).Tensor("far", {8}, kF32, uint64_t{1} << 40);
  b.Tensor("same", {8}, kF32, 0).Tensor("old", {32}, 31, 64);
  const FileReport report = CheckWeights(b, ByteWriter().U32(0x7FC00000).Zeros(124));
  for (const Finding& finding : report.findings) {
    EXPECT_STRNE(finding.diagnostic.rule->id, "weights-finite");
  }
  int said = 0;
  for (const auto& rule : report.not_checked) {
    said +=
        rule.why.view() == "a tensor is misplaced or has no supported type; its data was not read";
  }
  EXPECT_EQ(said, 5);
}

TEST(WeightChecksTest, AnInterruptionEndsTheScanAndTheChecks) {
  GgufBuilder b;
  b.String("general.architecture", "llama").Tensor("w", {8}, kF32);
  const std::string bytes = b.Build();
  CheckOptions options;
  options.weights = true;
  Work work;
  work.interrupted = [] { return true; };
  FileReport report = Validate(AsBytes(bytes), *Profile::Find("upload"), options, {}, work);
  LeaveOutModels(&report);
  EXPECT_EQ(report.incomplete, "interrupted");
  EXPECT_GT(report.not_checked.size(), 4u);
  for (const auto& rule : report.not_checked) {
    EXPECT_EQ(rule.why.view(), "interrupted") << rule.rule->id;
  }
}

TEST(WeightChecksTest, ScalesOfTypesOfOtherPrograms) {
  const auto lines = [](uint32_t type, std::vector<uint64_t> dims, const ByteWriter& data) {
    std::vector<std::string> found;
    for (const std::string& line :
         Lines(CheckWeights(GgufBuilder().Tensor("w", dims, type), data))) {
      if (line.rfind("weights-", 0) == 0) found.push_back(line.substr(0, line.find(" NaN")));
    }
    return found;
  };
  const std::string one = "weights-scale-finite: tensor[w].data has 1 scale that is";
  const std::string two = "weights-scale-finite: tensor[w].data has 2 scales that are";
  constexpr uint32_t kNan32 = 0x7FC00000, kOne32 = 0x3F800000;
  constexpr uint16_t kNan16 = 0x7E00;
  // I2_S: 32 bytes before the end.
  EXPECT_THAT(lines(36, {128}, ByteWriter().Zeros(32).U32(kNan32).Zeros(28)), ElementsAre(one));
  EXPECT_THAT(lines(36, {128}, ByteWriter().U32(kNan32).Zeros(60)), IsEmpty());
  // IQ4_KS: one for each row.
  EXPECT_THAT(
      lines(144, {256, 2}, ByteWriter().U32(kOne32).Zeros(136).U32(kNan32).U32(kNan32).Zeros(132)),
      ElementsAre(one));
  // IQ4_KS_R4: four for four rows; IQ2_K_R4: four for four blocks; IQ2_K: one for each.
  EXPECT_THAT(lines(344, {256, 4}, ByteWriter().U32(kNan32).Zeros(8).U32(kNan32).Zeros(544)),
              ElementsAre(two));
  EXPECT_THAT(lines(337, {256, 4}, ByteWriter().Zeros(6).U16(kNan16).U16(kNan16).Zeros(294)),
              ElementsAre(one));
  EXPECT_THAT(lines(137, {512}, ByteWriter().U16(kNan16).Zeros(74).U16(0xFC00).Zeros(74)),
              ElementsAre(two));
  // The last row of a group that is not whole has none.
  EXPECT_THAT(lines(344, {256, 1}, ByteWriter().U32(kNan32).Zeros(136)), IsEmpty());
}

}  // namespace
}  // namespace gguf
