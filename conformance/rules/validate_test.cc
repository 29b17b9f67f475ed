// What was checked, what was not, and why.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/validate.h"

#include <set>
#include <string>

#include "conformance/rules/catalogue.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

const Profile& Upload() { return *Profile::Find("upload"); }

FileReport Check(const std::string& bytes, const Profile& profile,
                 const Limits& limits = {}) {
  return Validate(AsBytes(bytes), "f.gguf", profile, {limits});
}

std::set<std::string> NotChecked(const FileReport& report) {
  std::set<std::string> ids;
  for (const auto& rule : report.not_checked) ids.insert(rule.rule->id);
  return ids;
}

TEST(ValidateTest, AGoodFileIsCheckedByEveryRule) {
  const std::string bytes = GgufBuilder().Tensor("w", {32}, 0).Build();
  ValidateOptions options;
  options.weights = true;
  for (const Profile& profile : Profile::BuiltIn()) {
    const FileReport report =
        Validate(AsBytes(bytes), "f.gguf", profile, options);
    EXPECT_TRUE(report.not_checked.empty()) << profile.name();
    EXPECT_EQ(report.counts.error, 0u) << profile.name();
  }
}

TEST(ValidateTest, WeightsAreReadWhenAskedForOnly) {
  const std::string bytes = GgufBuilder().Tensor("w", {32}, 0).Build();
  const FileReport report = Check(bytes, Upload());
  EXPECT_EQ(NotChecked(report),
            (std::set<std::string>{"weights-scale-finite", "weights-finite",
                                   "weights-index-in-range",
                                   "weights-not-constant"}));
  for (const auto& rule : report.not_checked) {
    EXPECT_EQ(rule.why, kNotRequested);
  }
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(ValidateTest, OffsetsPointAtTheFieldThatIsWrong) {
  const FileReport report =
      Check(GgufBuilder().Tensor("w", {32}, 0, 7).Build(), Upload());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].diagnostic.where.begin, 0x31u);
  EXPECT_EQ(report.findings[0].diagnostic.where.size(), 8u);
}

TEST(ValidateTest, AGoodMagicIsCheckedWhateverTheVersion) {
  GgufBuilder b;
  b.header_version = 4;
  EXPECT_EQ(NotChecked(Check(b.Build(), Upload())).count("header-magic"), 0u);
  EXPECT_EQ(NotChecked(Check("GG", Upload())).count("header-magic"), 1u);
}

TEST(ValidateTest, DamageInTheTableBlocksTheLayoutButNotTheKeys) {
  GgufBuilder b;
  b.U32("Bad-Key.a", 1).Tensor("", {32}, 0).Tensor("w", {32}, 0);
  std::string bytes = b.Build();
  bytes.resize(100);  // In the second tensor's entry.
  const FileReport report = Check(bytes, Upload());
  EXPECT_TRUE(report.incomplete.empty());
  const std::set<std::string> not_checked = NotChecked(report);
  EXPECT_EQ(not_checked.count("tensor-data-in-file"), 1u);
  EXPECT_EQ(not_checked.count("tensor-name-unique"), 1u);
  EXPECT_EQ(not_checked.count("key-unique"), 0u);
  // The rule that found the damage was checked; the first tensor was, too.
  EXPECT_EQ(not_checked.count("file-complete"), 0u);
  std::set<std::string> found;
  for (const Finding& f : report.findings) found.insert(f.diagnostic.rule->id);
  EXPECT_EQ(found,
            (std::set<std::string>{"file-complete", "key-lower-snake-case",
                                   "tensor-name-not-empty"}));
}

TEST(ValidateTest, AnUnknownAlignmentBlocksTheLayout) {
  GgufBuilder b;
  b.U32("general.alignment", 0).Tensor("w", {32}, 0, 7);
  const FileReport report = Check(b.Build(), Upload());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_STREQ(report.findings[0].diagnostic.rule->id, "alignment-nonzero");
  for (const auto& rule : report.not_checked) {
    if (rule.why == kNotRequested) continue;
    EXPECT_EQ(rule.why,
              "the alignment is not known, so where the data begins is not");
  }
  EXPECT_EQ(NotChecked(report).count("tensor-offset-aligned"), 1u);
}

TEST(ValidateTest, ALimitMakesTheReportIncomplete) {
  const std::string bytes = GgufBuilder().U32("k.a", 1).U32("k.b", 2).Build();
  Limits limits;
  limits.keys = 1;
  const FileReport report = Check(bytes, Upload(), limits);
  EXPECT_EQ(report.incomplete,
            "reading stopped at byte 0x18: the limit of 1 keys");
  EXPECT_EQ(NotChecked(report).count("key-unique"), 1u);
}

TEST(ValidateTest, AFileOutOfTimeIsIncomplete) {
  Limits limits;
  limits.seconds = 1e-9;
  const FileReport report = Check(GgufBuilder().Build(), Upload(), limits);
  EXPECT_EQ(report.incomplete, "the limit of 1e-09 seconds");
  EXPECT_GT(report.not_checked.size(), 30u);
}

TEST(ValidateTest, DamageThatNobodyAskedAboutIsStillNoPass) {
  Profile profile = Upload();
  profile.Override(*FindRule("file-complete"), Severity::kOff);
  const FileReport report = Check("GGUF\3", profile);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.incomplete,
            "reading stopped at byte 0x4, header.version: file-complete");
}

TEST(ValidateTest, AGitLfsPointerIsIncomplete) {
  const FileReport report = Check(
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
      Upload());
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.incomplete,
            "reading stopped at byte 0x0: a Git LFS pointer, not the model "
            "itself. Fetch the model: git lfs pull.");
}

}  // namespace
}  // namespace gguf
