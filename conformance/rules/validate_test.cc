// Tests which rules are checked, which are not, and why.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/validate.h"

#include <set>
#include <string>

#include "conformance/rules/catalogue.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

const Profile& Upload() { return *Profile::Find("upload"); }

FileReport Check(const std::string& bytes, const Profile& profile, const Limits& limits = {}) {
  FileReport report = Validate({AsBytes(bytes), "f.gguf"}, profile, {limits});
  LeaveOutModels(&report);  // Most of these files contain no model.
  return report;
}

std::set<std::string> NotChecked(const FileReport& report) {
  std::set<std::string> ids;
  for (const auto& rule : report.not_checked) ids.insert(rule.rule->id);
  return ids;
}

// Includes the findings that Check() removes.
FileReport CheckModel(const std::string& bytes) {
  return Validate({AsBytes(bytes), "f.gguf"}, Upload(), {});
}

std::set<std::string> NotRequested(const FileReport& report) {
  std::set<std::string> ids;
  for (const auto& rule : report.not_checked) {
    if (rule.meaning == Reason::kNotRequested) ids.insert(rule.rule->id);
  }
  return ids;
}

// Returns an empty text if the rule was checked.
std::string WhyNotChecked(const FileReport& report, absl::string_view id) {
  for (const auto& rule : report.not_checked) {
    if (rule.rule->id == id) return std::string(rule.why.view());
  }
  return "";
}

std::set<std::string> Found(const FileReport& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) ids.insert(finding.diagnostic.rule->id);
  return ids;
}

TEST(ValidateTest, AFindingThatAnotherOneImpliesIsLeftOut) {
  GgufBuilder b = VocabularyFile("llama", {"a"});
  b.Key("tokenizer.ggml.scores", 9, b.New().U32(0).Length(1).U8(1));
  const auto check = [&](const Profile& profile) {
    return Validate({AsBytes(b.Build()), "f.gguf"}, profile, {});
  };
  const FileReport both = check(Upload());
  EXPECT_EQ(Found(both).count("key-type-loaded"), 1u);
  EXPECT_EQ(Found(both).count("tokenizer-array-types"), 0u);
  uint64_t errors = 0;
  for (const Finding& finding : both.findings) errors += finding.severity == Severity::kError;
  EXPECT_EQ(both.counts.error, errors);
  // A user who makes the other one a note still gets the error.
  Profile profile = Upload();
  profile.Override(*FindRule("key-type-loaded"), Severity::kNote);
  EXPECT_EQ(Found(check(profile)).count("tokenizer-array-types"), 1u);
}

TEST(ValidateTest, AGoodFileIsCheckedByEveryRule) {
  GgufBuilder b;
  b.String("general.architecture", "llama").Tensor("w", {32}, 0);
  const std::string bytes = b.Build();
  CheckOptions options;
  options.weights = true;
  for (const Profile& profile : Profile::BuiltIn()) {
    FileReport report = Validate({AsBytes(bytes), "f.gguf"}, profile, options);
    LeaveOutModels(&report);
    EXPECT_TRUE(report.not_checked.empty()) << profile.name();
    for (const Finding& finding : report.findings) {
      EXPECT_NE(finding.severity, Severity::kError) << profile.name();
    }
  }
}

TEST(ValidateTest, WeightsAreReadWhenAskedForOnly) {
  const std::string bytes = GgufBuilder().Tensor("w", {32}, 0).Build();
  const FileReport report = Check(bytes, Upload());
  EXPECT_EQ(
      NotRequested(report),
      (std::set<std::string>{"weights-scale-finite", "weights-finite", "weights-index-in-range",
                             "weights-not-constant", "weights-nvfp4-scale-number"}));
  EXPECT_TRUE(report.incomplete.empty());
}

TEST(ValidateTest, OffsetsPointAtTheFieldThatIsWrong) {
  const FileReport report = Check(GgufBuilder().Tensor("w", {32}, 0, 7).Build(), Upload());
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
  // The rule that found the damage and the first tensor were checked.
  EXPECT_EQ(not_checked.count("file-complete"), 0u);
  std::set<std::string> found;
  for (const Finding& f : report.findings) found.insert(f.diagnostic.rule->id);
  EXPECT_EQ(found, (std::set<std::string>{"file-complete", "key-lower-snake-case",
                                          "tensor-name-not-empty"}));
}

TEST(ValidateTest, TensorsOfUnknownSizeAreNotPassedOverInSilence) {
  GgufBuilder b;
  b.Tensor("v", {32}, 0x7FFFFFFF).Tensor("w", {32}, 0);
  const FileReport report = Check(b.Build(), Upload());
  for (const char* id : {"tensor-bytes-representable", "tensor-data-in-file",
                         "tensor-data-disjoint", "tensor-data-contiguous", "padding-zero"}) {
    EXPECT_EQ(WhyNotChecked(report, id),
              "a tensor's type or shape is wrong, so its size is unknown")
        << id;
  }
  EXPECT_EQ(WhyNotChecked(report, "tensor-row-whole-blocks"),
            "a tensor's type is unknown, and so are its blocks");
  // The size of a tensor of five dimensions is known.
  const FileReport five = Check(GgufBuilder().Tensor("w", {1, 1, 1, 1, 1}, 0).Build(), Upload());
  EXPECT_EQ(WhyNotChecked(five, "tensor-data-in-file"), "");
}

TEST(ValidateTest, AnArchitectureThatIsMissingOrNoStringIsSaid) {
  EXPECT_EQ(WhyNotChecked(CheckModel(GgufBuilder().Build()), "architecture-known"),
            "general.architecture is missing");
  EXPECT_EQ(WhyNotChecked(CheckModel(GgufBuilder().U32("general.architecture", 1).Build()),
                          "architecture-known"),
            "general.architecture is not a string");
}

TEST(ValidateTest, PaddingOfAnImplausibleAlignmentIsNotRead) {
  const auto why = [](uint32_t alignment) {
    GgufBuilder b;
    b.U32("general.alignment", alignment);
    return WhyNotChecked(Check(b.Build(), Upload()), "padding-zero");
  };
  EXPECT_EQ(why(1 << 20), "");
  EXPECT_EQ(why(1 << 21), "the alignment is too large for padding to be read");
}

TEST(ValidateTest, FindingsAtOnePlaceAreInTheOrderOfTheCatalogue) {
  // The parser reports before any check runs.
  const FileReport report = Check("no model", *Profile::Find("pedantic"));
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_STREQ(report.findings[0].diagnostic.rule->id, "file-name-convention");
  EXPECT_STREQ(report.findings[1].diagnostic.rule->id, "header-magic");
}

TEST(ValidateTest, AnUnknownAlignmentBlocksTheLayout) {
  GgufBuilder b;
  b.U32("general.alignment", 0).Tensor("w", {32}, 0, 7);
  const FileReport report = Check(b.Build(), Upload());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_STREQ(report.findings[0].diagnostic.rule->id, "alignment-nonzero");
  EXPECT_EQ(WhyNotChecked(report, "tensor-offset-aligned"),
            "the alignment is unknown, and with it the start of the data");
}

TEST(ValidateTest, ALimitMakesTheReportIncomplete) {
  const std::string bytes = GgufBuilder().U32("k.a", 1).U32("k.b", 2).Build();
  Limits limits;
  limits.keys = 1;
  const FileReport report = Check(bytes, Upload(), limits);
  EXPECT_EQ(report.incomplete, "reading stopped at byte 0x18: the limit of 1 keys: the file has 2");
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
  EXPECT_EQ(report.incomplete, "reading stopped at byte 0x4, header.version: file-complete");
}

TEST(ValidateTest, AGitLfsPointerIsIncomplete) {
  const FileReport report =
      Check("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", Upload());
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.incomplete,
            "reading stopped at byte 0x0: a Git LFS pointer, not the model itself. Fetch the "
            "model: git lfs pull.");
}

TEST(ValidateTest, RulesThatAreOffAreCheckedOnRequestAndChangeNothing) {
  const std::string bytes = PlainFile().Key("k.list", 9, ByteWriter().U32(9).U64(0)).Build();
  const Profile& safety = *Profile::Find("safety");
  const FileReport without = Validate(AsBytes(bytes), safety, {});
  CheckOptions options;
  options.readers = true;
  const FileReport with = Validate(AsBytes(bytes), safety, options);

  EXPECT_TRUE(without.off.findings.empty());
  std::set<std::string> found;
  for (const Finding& finding : with.off.findings) {
    EXPECT_EQ(finding.severity, Severity::kOff);
    found.insert(finding.diagnostic.rule->id);
  }
  EXPECT_EQ(found.count("array-not-nested"), 1);
  EXPECT_EQ(with.findings.size(), without.findings.size());
  EXPECT_EQ(with.counts.warning, without.counts.warning);
  EXPECT_EQ(NotChecked(with), NotChecked(without));
  EXPECT_FALSE(with.off.not_checked.empty());  // Weights, which were not requested.
  EXPECT_EQ(with.incomplete, "");

  Limits none;
  none.findings_per_rule = 0;
  options.limits = none;
  const FileReport counted = Validate(AsBytes(bytes), safety, options);
  EXPECT_TRUE(counted.off.findings.empty());
  EXPECT_FALSE(counted.off.more.empty());
  EXPECT_TRUE(counted.more.empty());
}

}  // namespace
}  // namespace gguf
