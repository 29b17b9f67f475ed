// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/baseline.h"

#include "absl/strings/str_cat.h"
#include "conformance/rules/catalogue.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An error of `safety`, a warning and a note, in the profile `upload`.
constexpr char kUnsafe[] = "tensor-data-in-file";
constexpr char kWarning[] = "key-lower-snake-case";
constexpr char kNote[] = "key-namespaced";

const Profile& Upload() { return *Profile::Find("upload"); }

Finding FindingOf(const char* rule, const char* subject) {
  Finding finding;
  finding.diagnostic.rule = FindRule(rule);
  finding.diagnostic.subject = subject;
  finding.severity = Upload().SeverityOf(*finding.diagnostic.rule);
  return finding;
}

FileReport ReportOf(std::vector<Finding> findings) {
  FileReport report;
  for (const Finding& finding : findings) {
    report.counts.error += finding.severity == Severity::kError;
    report.counts.warning += finding.severity == Severity::kWarning;
    report.counts.note += finding.severity == Severity::kNote;
  }
  report.findings = std::move(findings);
  return report;
}

std::string LineOf(absl::string_view file, absl::string_view rule, absl::string_view subject,
                   absl::string_view reason) {
  return absl::StrCat("{\"file\":\"", file, "\",\"rule\":\"", rule, "\",\"subject\":\"", subject,
                      "\",\"reason\":\"", reason, "\"}\n");
}

Baseline Parse(absl::string_view text) {
  return Baseline::Parse(text, "b", Baseline::Reasons::kNeeded).value();
}

std::string Error(absl::string_view text) {
  return std::string(Baseline::Parse(text, "b", Baseline::Reasons::kNeeded).status().message());
}

std::vector<std::string> Texts(const std::vector<KnownFinding>& all) {
  std::vector<std::string> texts;
  for (const KnownFinding& known : all) {
    texts.push_back(
        absl::StrCat(known.file, " ", known.rule, " ", known.subject, " ", known.reason));
  }
  return texts;
}

TEST(BaselineTest, WhatIsKnownDoesNotCountAnyMore) {
  Baseline baseline = Parse(LineOf("a", kWarning, "kv[X].key", "old"));
  FileReport report = ReportOf({FindingOf(kWarning, "kv[X].key"), FindingOf(kWarning, "kv[Y].key"),
                                FindingOf(kNote, "kv[X]")});
  baseline.Apply("a", Upload(), false, &report);
  EXPECT_EQ(report.counts.warning, 1u);
  EXPECT_EQ(report.counts.note, 1u);
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].diagnostic.subject, "kv[Y].key");
  ASSERT_EQ(report.known.size(), 1u);
  EXPECT_EQ(report.known[0].finding.diagnostic.subject, "kv[X].key");
  EXPECT_EQ(report.known[0].finding.severity, Severity::kWarning);
  EXPECT_EQ(report.known[0].reason, "old");
  EXPECT_THAT(baseline.Outcome().stale, IsEmpty());
}

TEST(BaselineTest, OtherFilesAreNotMeant) {
  Baseline baseline = Parse(LineOf("a", kWarning, "s", "r"));
  FileReport report = ReportOf({FindingOf(kWarning, "s")});
  baseline.Apply("b", Upload(), false, &report);
  EXPECT_THAT(report.known, IsEmpty());
  EXPECT_EQ(report.counts.warning, 1u);
  EXPECT_THAT(baseline.Outcome().stale, IsEmpty());
  EXPECT_THAT(baseline.UnseenFiles(), ElementsAre("a"));
  baseline.Forget("a");
  EXPECT_THAT(Texts(baseline.Outcome().stale), ElementsAre(absl::StrCat("a ", kWarning, " s r")));
  EXPECT_EQ(baseline.Text(), "");
}

TEST(BaselineTest, ALineNamesOneRule) {
  EXPECT_THAT(Error(LineOf("a", "house-key-present,x", "s", "r")),
              testing::HasSubstr("there is no rule"));
}

TEST(BaselineTest, OldIdsFitAndAreRenewed) {
  constexpr char kRule[] = "policy-key-present";
  Baseline baseline = Parse(LineOf("a", "house-key-present", "s", "r"));
  EXPECT_THAT(baseline.old_ids(), ElementsAre("house-key-present is now policy-key-present"));
  FileReport report = ReportOf({FindingOf(kRule, "s")});
  baseline.Apply("a", Upload(), false, &report);
  EXPECT_EQ(report.known.size(), 1u);
  EXPECT_EQ(baseline.Text(), LineOf("a", kRule, "s", "r"));
  EXPECT_THAT(Parse(baseline.Text()).old_ids(), IsEmpty());
}

TEST(BaselineTest, ErrorsOfSafetyStayUnlessAskedFor) {
  const std::string text = LineOf("a", kUnsafe, "s", "r");
  const FileReport found = ReportOf({FindingOf(kUnsafe, "s")});
  FileReport report = found;
  Baseline baseline = Parse(text);
  baseline.Apply("a", Upload(), false, &report);
  EXPECT_EQ(report.counts.error, 1u);
  EXPECT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.known, IsEmpty());
  EXPECT_THAT(Texts(baseline.Outcome().refused), ElementsAre(absl::StrCat("a ", kUnsafe, " s r")));

  report = found;
  baseline = Parse(text);
  baseline.Apply("a", Upload(), true, &report);
  EXPECT_EQ(report.counts.error, 0u);
  EXPECT_EQ(report.known.size(), 1u);
  EXPECT_THAT(baseline.Outcome().refused, IsEmpty());
}

TEST(BaselineTest, WhatIsFoundNoLongerIsStale) {
  const std::string text = LineOf("a", kWarning, "s", "r");
  const auto stale = [&](const FileReport& found, const Profile& profile) {
    Baseline baseline = Parse(text);
    FileReport report = found;
    baseline.Apply("a", profile, false, &report);
    return baseline.Outcome().stale.size();
  };
  EXPECT_EQ(stale(FileReport(), Upload()), 1u);
  EXPECT_EQ(stale(ReportOf({FindingOf(kWarning, "t")}), Upload()), 1u);
  EXPECT_EQ(stale(ReportOf({FindingOf(kWarning, "s")}), Upload()), 0u);

  // Unknown, because the rule was not checked completely.
  const Rule* rule = FindRule(kWarning);
  FileReport report;
  report.incomplete = "interrupted";
  EXPECT_EQ(stale(report, Upload()), 0u);
  report = FileReport();
  report.not_checked.push_back({rule, "why"});
  EXPECT_EQ(stale(report, Upload()), 0u);
  report = FileReport();
  report.more.push_back({rule, Severity::kWarning, 1});
  EXPECT_EQ(stale(report, Upload()), 0u);
  Profile off = Upload();
  off.Override(*rule, Severity::kOff);
  EXPECT_EQ(stale(FileReport(), off), 0u);
}

TEST(BaselineTest, DamageThatIsKnownLeavesAFileThatIsIncomplete) {
  Baseline baseline = Parse(LineOf("a", "header-magic", "s", "r"));
  FileReport report = ReportOf({FindingOf("header-magic", "s")});
  report.stopped = "it is cut short";
  report.stopped_by = FindRule("header-magic");
  baseline.Apply("a", Upload(), true, &report);
  EXPECT_EQ(report.known.size(), 1u);
  EXPECT_EQ(report.incomplete, "it is cut short");
}

TEST(BaselineTest, LearnsWhatIsFoundAndKeepsReasons) {
  Baseline baseline = Parse(LineOf("a", kWarning, "s", "old") + LineOf("a", kNote, "gone", "old") +
                            LineOf("z", kNote, "other file", "old"));
  FileReport report = ReportOf(
      {FindingOf(kWarning, "s"), FindingOf(kNote, "\xc3\xbc \"\\"), FindingOf(kUnsafe, "t")});
  baseline.Learn("a", Upload(), false, "", &report);
  EXPECT_EQ(report.known.size(), 2u);
  EXPECT_EQ(report.counts.error, 1u);
  EXPECT_EQ(baseline.Text(), LineOf("a", kWarning, "s", "old") +
                                 LineOf("a", kNote, "\xc3\xbc \\\"\\\\", "") +
                                 LineOf("z", kNote, "other file", "old"));
  EXPECT_EQ(baseline.without_reason(), 1u);
  EXPECT_EQ(Error(baseline.Text()),
            "b:2: the reason is empty: explain why the finding is accepted");

  // The next time with a reason, and accepting errors of safety.
  Baseline next = Baseline::Parse(baseline.Text(), "b", Baseline::Reasons::kOptional).value();
  report = ReportOf(
      {FindingOf(kWarning, "s"), FindingOf(kNote, "\xc3\xbc \"\\"), FindingOf(kUnsafe, "t")});
  next.Learn("a", Upload(), true, "new", &report);
  EXPECT_EQ(report.counts.error, 0u);
  EXPECT_EQ(next.without_reason(), 0u);
  EXPECT_EQ(next.Text(),
            LineOf("a", kWarning, "s", "old") + LineOf("a", kNote, "\xc3\xbc \\\"\\\\", "new") +
                LineOf("a", kUnsafe, "t", "new") + LineOf("z", kNote, "other file", "old"));
}

TEST(BaselineTest, MistakesNameTheirLine) {
  const std::string good = LineOf("a", kWarning, "s", "r");
  constexpr char kShape[] =
      "b:1: expected an object with the strings file, rule, subject and reason";
  EXPECT_EQ(Error(""), "");
  EXPECT_EQ(Error(good + "\n" + LineOf("a", kNote, "s", "r")), "");
  EXPECT_EQ(Error("{"), kShape);
  EXPECT_EQ(Error("[]"), kShape);
  EXPECT_EQ(Error("{\"file\":\"a\"}"), kShape);
  EXPECT_EQ(Error("{\"file\":1,\"rule\":\"r\",\"subject\":\"\",\"reason\":\"\"}"), kShape);
  EXPECT_EQ(Error("{\"fil\":\"\",\"rule\":\"r\",\"subject\":\"\",\"reason\":\"\"}"), kShape);
  EXPECT_EQ(Error(good + "\n" + good), "b:3: duplicate of another line");
  EXPECT_EQ(Error(LineOf("a", "key-uniqe", "s", "r")),
            "b:1: there is no rule \"key-uniqe\"; did you mean key-unique?");
  EXPECT_EQ(Error(std::string(100000, '[')), "b:1: the line is too long");
  EXPECT_EQ(Error(std::string(60000, '[')), kShape);
}

TEST(ForgiveTest, IgnoredRulesAreAsIfOff) {
  const Rule* rule = FindRule(kWarning);
  FileReport report = ReportOf({FindingOf(kWarning, "s"), FindingOf(kNote, "s")});
  report.more.push_back({rule, Severity::kWarning, 7});
  report.counts.warning += 7;
  report.not_checked.push_back({rule, "why"});
  report.not_checked.push_back({FindRule(kUnsafe), "why"});
  IgnoreRules({rule}, &report);
  EXPECT_EQ(report.counts.warning, 0u);
  EXPECT_EQ(report.counts.note, 1u);
  EXPECT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.more, IsEmpty());
  EXPECT_EQ(report.not_checked.size(), 1u);
  EXPECT_THAT(report.known, IsEmpty());
  EXPECT_EQ(report.incomplete, "");
}

TEST(ForgiveTest, DamageThatIsIgnoredLeavesAFileThatIsIncomplete) {
  FileReport report = ReportOf({FindingOf("header-magic", "s")});
  report.stopped = "it is cut short";
  report.stopped_by = FindRule("header-magic");
  IgnoreRules({FindRule("header-magic")}, &report);
  EXPECT_EQ(report.incomplete, "it is cut short");
}

}  // namespace
}  // namespace gguf
