// Merging of shards, and the reports of missing and duplicate ones.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_replace.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/testing/sample_log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A log of shard `index` of `count`, with one case that is named after it.
NamedLog Shard(uint64_t index, uint64_t count) {
  const std::string number = std::to_string(index);
  NamedLog log = SampleLog("toy", {SampleRecord("a/case-" + number, CaseResult::kPass)});
  log.path = "shard-" + number;
  log.log.header.shard = {index, count};
  log.log.header.corpus.cases = count;
  return log;
}

ReaderRun OneRun(std::vector<NamedLog> logs) {
  const std::vector<ReaderRun> runs = MergeRuns(std::move(logs));
  EXPECT_EQ(runs.size(), 1u);
  return runs.empty() ? ReaderRun() : runs[0];
}

TEST(MergeRunsTest, ShardsInAnyOrderAreOneRun) {
  const ReaderRun run = OneRun({Shard(2, 3), Shard(0, 3), Shard(1, 3)});
  EXPECT_THAT(run.problems, IsEmpty());
  EXPECT_EQ(run.label, "toy 1.0");
  EXPECT_EQ(run.seconds, 6);
  ASSERT_EQ(run.cases.size(), 3u);
  EXPECT_EQ(run.cases[0].id, "a/case-0");
}

TEST(MergeRunsTest, MissingShardsAreReported) {
  EXPECT_THAT(
      OneRun({Shard(1, 3)}).problems,
      ElementsAre("shard 1 of 3 is missing", "shard 3 of 3 is missing", "1 of 3 cases were run"));
  // Whatever number a log claims.
  EXPECT_THAT(OneRun({Shard(0, ~0ull)}).problems,
              ElementsAre("shards 2 to 18446744073709551615 of 18446744073709551615 are missing",
                          "1 of 18446744073709551615 cases were run"));
  EXPECT_THAT(OneRun({Shard(3, 3)}).problems,
              ElementsAre("shard-3 claims to be shard 4 of 3; ignored",
                          "shards 1 to 3 of 3 are missing", "0 of 3 cases were run"));
}

TEST(MergeRunsTest, DuplicateShardsAreReported) {
  NamedLog again = Shard(1, 2);
  again.path = "again";
  EXPECT_THAT(OneRun({Shard(0, 2), Shard(1, 2), again}).problems,
              ElementsAre("again duplicates shard 2 of 2, which is shard-1; ignored"));
}

TEST(MergeRunsTest, DuplicateCasesAreReported) {
  NamedLog second = Shard(1, 2);
  second.log.cases[0].id = "a/case-0";
  EXPECT_THAT(
      OneRun({Shard(0, 2), second}).problems,
      ElementsAre("shard-1 duplicates the case a/case-0; ignored", "1 of 2 cases were run"));
}

TEST(MergeRunsTest, IncompleteRunsAreReported) {
  NamedLog cut = Shard(0, 1);
  cut.log.footer.reset();
  EXPECT_THAT(
      OneRun({cut}).problems,
      ElementsAre("shard-0 is truncated after 1 cases: the run was killed or is still running"));
  NamedLog stopped = Shard(0, 1);
  stopped.log.footer = RunFooter{false, 1, 2, "interrupted"};
  EXPECT_THAT(OneRun({stopped}).problems,
              ElementsAre("shard-0 reports an incomplete run: interrupted"));
  NamedLog wrong = Shard(0, 1);
  wrong.log.footer->cases = 5;
  EXPECT_THAT(OneRun({wrong}).problems,
              ElementsAre("shard-0 has 1 cases, but its footer reports 5"));
}

TEST(MergeRunsTest, OtherReadersAndOtherCasesAreOtherRuns) {
  NamedLog asan = Shard(0, 1);
  asan.log.header.reader.sanitizer = "asan";
  NamedLog bare = Shard(0, 1);
  bare.log.header.reader.mode = "bare";
  NamedLog other = Shard(0, 1);
  other.log.header.selectors = {"a/*"};
  std::vector<std::string> labels;
  for (const ReaderRun& run : MergeRuns({Shard(0, 1), asan, bare, other})) {
    labels.push_back(run.label);
  }
  EXPECT_THAT(labels, ElementsAre("toy 1.0", "toy 1.0 (asan)", "toy 1.0 (weak: exit codes only)",
                                  "toy 1.0 #2"));
}

TEST(MergeRunsTest, TextsAreVisible) {
  const ReaderRun run = OneRun({HostileLog()});
  EXPECT_EQ(run.cases[0].stderr_tail,
            "</script><img src=x "
            "onerror=alert(1)>|\n\\x3a:error::x\n\\x1b[2J\\u{202e}`*_&\"'\\x00\\xff]]>{{data}}");
  const std::string line =
      absl::StrReplaceAll(run.cases[0].stderr_tail, {{"\n\\x3a:", "\\n::"}, {"\n", "\\n"}});
  EXPECT_EQ(run.cases[0].text, run.cases[0].stderr_tail);
  EXPECT_EQ(run.cases[0].marks[0].rule, line);
  EXPECT_EQ(run.cases[0].rejection->text, line);
  EXPECT_EQ(run.header.reader.caps[0], line);
  EXPECT_EQ(run.problems[0].find('\x1b'), std::string::npos);
}

}  // namespace

}  // namespace gguf::readers
