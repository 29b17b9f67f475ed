// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"
#include "conformance/readers/testing/sample_log.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::HasSubstr;
using testing::Not;

ReaderRun RunOf(const std::vector<CaseRecord>& cases) {
  return MergeRuns({SampleLog("one", cases)})[0];
}

TEST(ChangesTest, CasesByHowTheyChanged) {
  const ReaderRun before = RunOf({
      SampleRecord("t/breaks", CaseResult::kPass),
      SampleRecord("t/fails", CaseResult::kFalseReject),
      SampleRecord("t/gone", CaseResult::kPass),
      SampleRecord("t/listed", CaseResult::kFalseReject),
      SampleRecord("t/mended", CaseResult::kFalseReject),
      SampleRecord("t/open", CaseResult::kInfo),
      SampleRecord("t/worse", CaseResult::kFalseReject),
  });
  const ReaderRun after = RunOf({
      SampleRecord("t/breaks", CaseResult::kUnsafe),
      SampleRecord("t/fails", CaseResult::kFalseReject),
      SampleRecord("t/listed", CaseResult::kXfail),
      SampleRecord("t/mended", CaseResult::kPass),
      SampleRecord("t/new", CaseResult::kFalseReject),
      SampleRecord("t/new-pass", CaseResult::kPass),
      SampleRecord("t/open", CaseResult::kInfo),
      SampleRecord("t/worse", CaseResult::kUnsafe),
  });
  const Changes changes = FindChanges(before, after);
  ASSERT_EQ(changes.broken.size(), 1u);
  EXPECT_EQ(changes.broken[0].after->id, "t/breaks");
  ASSERT_EQ(changes.fixed.size(), 1u);
  EXPECT_EQ(changes.fixed[0].after->id, "t/mended");
  ASSERT_EQ(changes.listed.size(), 1u);
  EXPECT_EQ(changes.listed[0].after->id, "t/listed");
  ASSERT_EQ(changes.other.size(), 1u);
  EXPECT_EQ(changes.other[0].after->id, "t/worse");
  ASSERT_EQ(changes.added.size(), 1u);
  EXPECT_EQ(changes.added[0].after->id, "t/new");
  ASSERT_EQ(changes.removed.size(), 1u);
  EXPECT_EQ(changes.removed[0]->id, "t/gone");

  const std::string report = ChangesReport(before, after);
  EXPECT_THAT(report, HasSubstr("2 of 7 judged cases pass; in the run of ` 2026-11-21T20:00:00Z `, "
                                "2 of 6 judged cases pass."));
  EXPECT_THAT(report, HasSubstr("### New failures: 1\n\n- ` t/breaks `: ` pass ` → ` unsafe: crash "
                                "`; ` title of t/breaks `. ` It crashed."));
  EXPECT_THAT(report, HasSubstr("\n- ` t/new `: not run → ` false-reject `"));
  EXPECT_THAT(report, HasSubstr("### Fixed: 1\n\n- ` t/mended `: ` false-reject ` → ` pass `\n"));
  EXPECT_THAT(report, HasSubstr("\n1 case of that run did not run now.\n"));
}

TEST(ChangesTest, NothingChanged) {
  const ReaderRun run = RunOf({SampleRecord("t/x", CaseResult::kUnsafe)});
  const std::string report = ChangesReport(run, run);
  EXPECT_THAT(report, HasSubstr("Nothing changed."));
  EXPECT_THAT(report, Not(HasSubstr("###")));
}

TEST(ChangesTest, TextOfFilesIsNoMarkup) {
  const ReaderRun before = RunOf({});
  const ReaderRun after = MergeRuns({HostileLog()})[0];
  EXPECT_THAT(ChangesReport(before, after), Not(HasSubstr("\n::error")));
}

}  // namespace
}  // namespace gguf::readers
