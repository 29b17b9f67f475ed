// Scores, the order of rows, groups, and words.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/report/matrix.h"

#include <string>
#include <utility>

#include "conformance/readers/testing/sample_log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MatrixTest, PercentsAreRoundedDown) {
  EXPECT_EQ(Percent({0, 0}), "not tested");
  EXPECT_EQ(Percent({0, 3}), "0.0 %");
  EXPECT_EQ(Percent({2, 3}), "66.6 %");
  EXPECT_EQ(Percent({9999, 10000}), "99.9 %");
  EXPECT_EQ(Percent({10000, 10000}), "100 %");
  EXPECT_EQ(ScoreText({2, 3}), "66.6 %, 2/3");
  EXPECT_EQ(ScoreText({0, 0}), "not tested");
}

TEST(MatrixTest, WhatWasNotJudgedOrTestedCountsForNobody) {
  std::vector<CaseRecord> cases;
  for (const CaseResultInfo& info : CaseResults()) {
    cases.push_back(SampleRecord(std::string("a/") + info.name, info.result));
  }
  const std::vector<ReaderRun> runs = MergeRuns({SampleLog("toy", cases)});
  const Matrix matrix = BuildMatrix(runs);
  const Column& column = matrix.columns[0];
  // pass, xpass, xfail and the four kinds of failure.
  EXPECT_EQ(column.score.passed, 2u);
  EXPECT_EQ(column.score.judged, 7u);
  EXPECT_EQ(CountOf(CaseResult::kSkip, column), 1u);
  EXPECT_THAT(column.unsafe, ElementsAre(testing::Pair("crash", 1)));

  // All but the unsafe case pass L0 and L1 and fail L2; none reports the rest.
  EXPECT_EQ(ScoreText(column.levels[0]), "90.9 %, 10/11");
  EXPECT_EQ(ScoreText(column.levels[1]), "100 %, 10/10");
  EXPECT_EQ(ScoreText(column.levels[2]), "0.0 %, 0/10");
  EXPECT_EQ(ScoreText(column.levels[3]), "not tested");
  EXPECT_THAT(matrix.problems, IsEmpty());
}

TEST(MatrixTest, SectionsWithoutJudgedCasesHaveNoScore) {
  using R = CaseResult;
  const std::vector<ReaderRun> runs =
      MergeRuns({SampleLog("toy", {SampleRecord("a/1", R::kPass), SampleRecord("a/2", R::kUnsafe),
                                   SampleRecord("b/1", R::kPass), SampleRecord("b/2", R::kInfo),
                                   SampleRecord("c/1", R::kSkip)})});
  const Matrix matrix = BuildMatrix(runs);
  std::vector<std::string> sections;
  for (const auto& [name, score] : matrix.columns[0].sections) {
    sections.push_back(name + " " + ScoreText(score));
  }
  EXPECT_THAT(sections, ElementsAre("a 50.0 %, 1/2", "b 100 %, 1/1"));
}

// Formats the groups as "section: ids | cells".
std::vector<std::string> Groups(const Matrix& matrix) {
  std::vector<std::string> groups;
  for (const MatrixGroup& group : matrix.groups) {
    std::string text = group.importance + ":";
    for (const size_t row : group.rows) {
      text += " " + matrix.rows[row].about->id;
    }
    text += " |";
    for (const CaseRecord* cell : matrix.rows[group.rows[0]].cells) {
      text += " " + CellText(cell);
    }
    groups.push_back(text);
  }
  return groups;
}

TEST(MatrixTest, EqualRowsAreGroupedWorstFirst) {
  using R = CaseResult;
  CaseRecord critical = SampleRecord("b/critical", R::kFalseReject);
  critical.importance = "critical";
  CaseRecord crashed = SampleRecord("b/y", R::kUnsafe);
  crashed.importance = "minor";
  const std::vector<ReaderRun> runs = MergeRuns(
      {SampleLog("one", {SampleRecord("a/1", R::kPass), SampleRecord("a/2", R::kPass),
                         SampleRecord("a/3", R::kFalseReject), SampleRecord("b/1", R::kPass),
                         critical, SampleRecord("b/x", R::kFalseReject), crashed}),
       SampleLog("two", {SampleRecord("a/1", R::kPass), SampleRecord("a/2", R::kPass),
                         SampleRecord("a/3", R::kInfo), SampleRecord("b/1", R::kPass),
                         SampleRecord("b/critical", R::kPass), SampleRecord("b/x", R::kPass)})});
  const Matrix matrix = BuildMatrix(runs);
  EXPECT_THAT(Groups(matrix), ElementsAre("minor: b/y | unsafe: crash not run",
                                          "critical: b/critical b/x | false-reject pass",
                                          "major: a/3 | false-reject info: accept",
                                          "major: a/1 a/2 | pass pass", "major: b/1 | pass pass"));
}

TEST(MatrixTest, FlagsCountWhatReadersDoWithWhatIsLeftOpen) {
  CaseRecord accepts = SampleRecord("a/1", CaseResult::kInfo);
  accepts.verdict = "either";
  accepts.flags = {"BigEndian", "Shard"};
  CaseRecord rejects = accepts;
  rejects.id = "a/2";
  rejects.outcome = "reject";
  CaseRecord valid = accepts;
  valid.id = "a/3";
  valid.verdict = "valid";
  const std::vector<ReaderRun> runs =
      MergeRuns({SampleLog("one", {accepts, rejects, valid}), SampleLog("two", {rejects})});
  const Matrix matrix = BuildMatrix(runs);
  ASSERT_EQ(matrix.flags.size(), 2u);
  EXPECT_EQ(matrix.flags[0].flag, "BigEndian");
  EXPECT_EQ(OutcomeCounts(matrix.flags[0].outcomes[0]), "accept 1, reject 1");
  EXPECT_EQ(OutcomeCounts(matrix.flags[0].outcomes[1]), "reject 1");
}

TEST(MatrixTest, RunsOverOtherCasesAreAProblem) {
  NamedLog other = SampleLog("two", {SampleRecord("a/1", CaseResult::kPass)});
  other.log.header.corpus.sha256 = std::string(64, 'b');
  NamedLog cut = SampleLog("three", {SampleRecord("a/1", CaseResult::kPass)});
  cut.log.footer.reset();
  const std::vector<ReaderRun> runs =
      MergeRuns({SampleLog("one", {SampleRecord("a/1", CaseResult::kPass)}), other, cut});
  EXPECT_THAT(BuildMatrix(runs).problems,
              ElementsAre("three 1.0: three.ndjson is truncated after 1 cases: the run was killed "
                          "or is still running.",
                          "two 1.0 and one 1.0 were not run over the same cases."));
}

// Returns what a reader did and should have done.
std::string Words(const CaseRecord& record) {
  return WhatItDid(record) + " " + WhatItShould(record);
}

CaseRecord RecordOf(const char* verdict, const char* outcome, Difference difference) {
  CaseRecord record;
  record.verdict = verdict;
  record.outcome = outcome;
  record.difference = std::move(difference);
  return record;
}

TEST(WordsTest, VerdictsAndContents) {
  CaseRecord record = RecordOf("invalid", "accept", {"verdict", "reject", "accept", "L1"});
  EXPECT_EQ(Words(record), "It accepted the file. It should have rejected the file.");
  record = RecordOf("valid", "reject", {"verdict", "accept", "reject", "L1"});
  record.rejection = Rejection{"syntax", "too long"};
  EXPECT_EQ(Words(record), "It rejected the file: too long. It should have accepted the file.");
  record = RecordOf("valid", "accept", {"tensor[w].offset", "0", "7", "L3"});
  EXPECT_EQ(Words(record), "It read tensor[w].offset as 7. The file has 0.");
  record.difference.reset();
  EXPECT_EQ(Words(record), "It accepted the file. ");
  record.outcome = "skip";
  EXPECT_EQ(Words(record), "It skipped the file. ");
}

TEST(WordsTest, UnsafeOutcomes) {
  CaseRecord record = RecordOf("either", "crash", {"", "accept or reject", "signal 11", "L0"});
  record.levels[0] = LevelState::kFail;
  EXPECT_EQ(Words(record), "It crashed: signal 11. It should have accepted or rejected the file.");
  record.outcome = "exit:3";
  record.difference->expected = "reject";
  record.difference->observed = "";
  EXPECT_EQ(Words(record),
            "It exited with code 3 without a verdict. It should have rejected the file.");
}

TEST(WordsTest, CountsHaveTheRightNumber) {
  EXPECT_EQ(Counted(0, "reader"), "0 readers");
  EXPECT_EQ(Counted(1, "reader"), "1 reader");
  EXPECT_EQ(Counted(2, "case"), "2 cases");
}

}  // namespace

}  // namespace gguf::readers
