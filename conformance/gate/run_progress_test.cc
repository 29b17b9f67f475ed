// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/run_progress.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

class RunProgressTest : public testing::Test {
 protected:
  void Expect(uint64_t files_done, uint64_t bytes_done) const {
    EXPECT_EQ(last_.files_done, files_done);
    EXPECT_EQ(last_.bytes_done, bytes_done);
    EXPECT_EQ(last_.files, 3u);
    EXPECT_EQ(last_.bytes, 500u);
  }

  GateProgress last_;
  // A file of 100 bytes, and two of 100 that are read twice.
  RunProgress run_{{{1, 100}, {2, 400}}, [this](const GateProgress& now) { last_ = now; }};
};

TEST_F(RunProgressTest, AddsUpGroupsThatAreReadAtTheSameTime) {
  run_.Read(0, 40, 90);
  run_.Read(1, 50, 90);
  Expect(0, 90);
  run_.Read(0, 80, 90);
  Expect(0, 130);
}

TEST_F(RunProgressTest, ASmallerNumberBeginsTheNextPass) {
  run_.Read(1, 90, 90);
  run_.Read(1, 10, 100);
  Expect(0, 100);
  run_.Read(1, 100, 100);
  run_.Read(1, 0, 90);
  Expect(0, 190);
}

TEST_F(RunProgressTest, AFileThatIsDoneCountsAsAWhole) {
  run_.Read(1, 50, 90);
  run_.Finish(1);
  Expect(2, 400);
  run_.Finish(0);
  Expect(3, 500);
}

TEST_F(RunProgressTest, ALargerTotalAddsToTheDataOfTheRun) {
  run_.Read(0, 80, 100);
  run_.Read(0, 100, 150);
  EXPECT_EQ(last_.bytes_done, 100u);
  EXPECT_EQ(last_.bytes, 550u);
  run_.Finish(0);
  EXPECT_EQ(last_.bytes_done, 150u);
}

TEST_F(RunProgressTest, NeverCountsMoreThanAll) {
  run_.Read(0, 150, 150);
  Expect(0, 100);
  run_.Finish(0);
  Expect(1, 100);
}

}  // namespace
}  // namespace gguf
