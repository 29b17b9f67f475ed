// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/do_in_order.h"

#include <atomic>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Even pieces take longer, so that odd ones finish before them.
uint64_t Spin(uint64_t piece) {
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < (piece % 2 == 0 ? 200000 : 1); ++i) sum = sum + i;
  return piece;
}

struct Job {
  OrderedWork<uint64_t> work;
  std::vector<uint64_t> taken;

  explicit Job(uint64_t count, unsigned threads) {
    work.count = count;
    work.threads = threads;
    work.window = 3;
    work.work = Spin;
    work.take = [this](uint64_t piece) {
      taken.push_back(piece);
      return true;
    };
    work.stop = [] { return false; };
  }
};

TEST(DoInOrderTest, ResultsComeInOrderFromAnyNumberOfThreads) {
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 200; ++i) all.push_back(i);
  for (const unsigned threads : {1u, 2u, 8u}) {
    Job job(200, threads);
    EXPECT_EQ(DoInOrder(job.work), 200u);
    EXPECT_EQ(job.taken, all) << threads;
  }
  Job none(0, 4);
  EXPECT_EQ(DoInOrder(none.work), 0u);
  EXPECT_THAT(none.taken, IsEmpty());
}

TEST(DoInOrderTest, NothingIsBegunThatIsTooFarAhead) {
  Job job(300, 8);
  std::atomic<uint64_t> taken{0};
  std::atomic<bool> far{false};
  job.work.work = [&](uint64_t piece) {
    if (piece >= taken + 3) far = true;
    return Spin(piece);
  };
  job.work.take = [&](uint64_t) {
    ++taken;
    return true;
  };
  EXPECT_EQ(DoInOrder(job.work), 300u);
  EXPECT_FALSE(far);
}

TEST(DoInOrderTest, AStopLeavesNoGap) {
  for (const unsigned threads : {1u, 8u}) {
    Job job(1000, threads);
    std::atomic<uint64_t> begun{0};
    job.work.work = [&](uint64_t piece) {
      ++begun;
      return Spin(piece);
    };
    job.work.stop = [&] { return begun >= 20; };
    const uint64_t taken = DoInOrder(job.work);
    EXPECT_EQ(taken, begun);
    EXPECT_GE(taken, 20u);
    EXPECT_LT(taken, 40u);
    EXPECT_EQ(job.taken.back(), taken - 1);
  }
}

TEST(DoInOrderTest, WhoTakesMayEndIt) {
  Job job(1000, 1);
  job.work.take = [&](uint64_t piece) {
    job.taken.push_back(piece);
    return piece < 2;
  };
  EXPECT_EQ(DoInOrder(job.work), 3u);
  EXPECT_THAT(job.taken, ElementsAre(0, 1, 2));
}

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
