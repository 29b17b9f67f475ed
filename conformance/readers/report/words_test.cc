// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/report/words.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

// Returns what a reader did and should have done.
std::string Words(const CaseRecord& record) {
  return WhatItDid(record) + " " + WhatItShould(record);
}

CaseRecord RecordOf(const char* verdict, const char* outcome,
                    Difference difference) {
  CaseRecord record;
  record.verdict = verdict;
  record.outcome = outcome;
  record.difference = std::move(difference);
  return record;
}

TEST(WordsTest, VerdictsAndContents) {
  CaseRecord record =
      RecordOf("invalid", "accept", {"verdict", "reject", "accept", "L1"});
  EXPECT_EQ(Words(record),
            "It accepted the file. It should have rejected the file.");
  record = RecordOf("valid", "reject", {"verdict", "accept", "reject", "L1"});
  record.rejection = Rejection{"syntax", "too long"};
  EXPECT_EQ(Words(record),
            "It rejected the file: too long. It should have accepted the "
            "file.");
  record = RecordOf("valid", "accept", {"tensor[w].offset", "0", "7", "L3"});
  EXPECT_EQ(Words(record), "It read tensor[w].offset as 7. The file has 0.");
  record.difference.reset();
  EXPECT_EQ(Words(record), "It accepted the file. ");
  record.outcome = "skip";
  EXPECT_EQ(Words(record), "It skipped the file. ");
}

TEST(WordsTest, UnsafeOutcomes) {
  CaseRecord record =
      RecordOf("either", "crash", {"", "accept or reject", "signal 11", "L0"});
  record.levels[0] = LevelState::kFail;
  EXPECT_EQ(Words(record),
            "It crashed: signal 11. It should have accepted or rejected the "
            "file.");
  record.outcome = "exit:3";
  record.difference->expected = "reject";
  record.difference->observed = "";
  EXPECT_EQ(Words(record),
            "It exited with code 3 without a verdict. It should have rejected "
            "the file.");
}

TEST(WordsTest, CountsHaveTheRightNumber) {
  EXPECT_EQ(Counted(0, "reader"), "0 readers");
  EXPECT_EQ(Counted(1, "reader"), "1 reader");
  EXPECT_EQ(Counted(2, "case"), "2 cases");
}

}  // namespace
}  // namespace gguf::readers
