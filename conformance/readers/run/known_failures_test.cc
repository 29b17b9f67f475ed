// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/known_failures.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

constexpr char kList[] =
    "# About this list.\n"
    "\n"
    "a/fails  false-accept  reported as #12\n"
    "a/gone  unsafe  since 2024\n"
    "a/not-run\tunsafe\twill be mended\n"
    "a/other  false-accept  reported, too\n"
    "a/passes  false-reject  was so\n";

const std::set<std::string> kIds = {"a/fails", "a/new",    "a/not-run",
                                    "a/other", "a/passes", "a/skipped"};

CaseRecord Record(const char* id, CaseResult result) {
  CaseRecord record;
  record.id = id;
  record.result = result;
  record.outcome = result == CaseResult::kUnsafe ? "crash" : "accept";
  return record;
}

std::vector<CaseRecord> Records() {
  return {Record("a/fails", CaseResult::kFalseAccept), Record("a/new", CaseResult::kUnsafe),
          Record("a/other", CaseResult::kUnsafe), Record("a/passes", CaseResult::kPass),
          Record("a/skipped", CaseResult::kSkip)};
}

TEST(KnownFailuresTest, ResultsThatAreListedAreExpected) {
  const KnownFailures known = KnownFailures::Parse(kList).value();
  std::vector<CaseRecord> records = Records();
  for (CaseRecord& record : records) known.Apply(&record);
  EXPECT_EQ(records[0].result, CaseResult::kXfail);
  EXPECT_EQ(records[0].known, "reported as #12");
  EXPECT_EQ(records[1].result, CaseResult::kUnsafe);
  EXPECT_FALSE(records[1].known);
  EXPECT_EQ(records[2].result, CaseResult::kUnsafe);  // Worse than listed.
  EXPECT_EQ(records[3].result, CaseResult::kXpass);
  EXPECT_EQ(records[4].result, CaseResult::kSkip);
  EXPECT_EQ(known.Gone(kIds), std::vector<std::string>{"a/gone"});
}

TEST(KnownFailuresTest, AKnownFailureThatNoLongerFailsIsStale) {
  const KnownFailures known = KnownFailures::Parse("a/x false-accept y\n").value();
  for (const CaseResult result : {CaseResult::kInfo, CaseResult::kNonStrict}) {
    CaseRecord record = Record("a/x", result);
    known.Apply(&record);
    EXPECT_EQ(record.result, CaseResult::kXpass);
  }
}

TEST(KnownFailuresTest, AFixedListIsAsObserved) {
  const KnownFailures known = KnownFailures::Parse(kList).value();
  std::vector<CaseRecord> records = Records();
  for (CaseRecord& record : records) known.Apply(&record);
  const std::string fixed = KnownFailures::Fix(kList, records, kIds);
  EXPECT_EQ(fixed,
            "# About this list.\n"
            "\n"
            "a/fails  false-accept  reported as #12\n"
            "a/not-run\tunsafe\twill be mended\n"
            "a/other  unsafe  reported, too\n"
            "a/new  unsafe  new: crash; not yet reviewed\n");

  // A second fix changes nothing.
  records = Records();
  const KnownFailures again = KnownFailures::Parse(fixed).value();
  for (CaseRecord& record : records) {
    again.Apply(&record);
    EXPECT_FALSE(IsUnexpected(record.result)) << record.id;
  }
  EXPECT_EQ(KnownFailures::Fix(fixed, records, kIds), fixed);
}

TEST(KnownFailuresTest, AListBeginsEmpty) {
  const std::vector<CaseRecord> records = {Record("a/new", CaseResult::kFalseAccept)};
  EXPECT_EQ(KnownFailures::Fix("", records, kIds),
            "a/new  false-accept  new: accept; not yet reviewed\n");
  EXPECT_EQ(KnownFailures::Fix("", {}, kIds), "");
}

TEST(KnownFailuresTest, ErrorsNameTheLine) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"# c\na/x\n",
       "line 2: expected unsafe, wrong-values, false-accept or false-reject after the case, not "
       "\"\""},
      {"a/x pass it does",
       "line 1: expected unsafe, wrong-values, false-accept or false-reject after the case, not "
       "\"pass\""},
      {"a/x xpass so",
       "line 1: expected unsafe, wrong-values, false-accept or false-reject after the case, not "
       "\"xpass\""},
      {"a/x unsafe  \n", "line 1: missing reason at the end"},
      {"a/x unsafe y\na/x unsafe z\n", "line 2: duplicate case \"a/x\""},
  };
  for (const auto& [text, error] : rows) {
    EXPECT_EQ(KnownFailures::Parse(text).status().message(), error);
  }
}

}  // namespace
}  // namespace gguf::readers
