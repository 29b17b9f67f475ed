// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal.h"

#include <chrono>

#include "gtest/gtest.h"

namespace gguf {
namespace {

using std::chrono::seconds;

TEST(RecentRateTest, ForgetsWhatIsLongAgo) {
  const ProgressClock::time_point begin;
  RecentRate rate(begin);
  EXPECT_EQ(rate.PerSecond(), 0);
  // 100 per second, then 10.
  for (int i = 1; i <= 20; ++i) rate.Add(begin + seconds(i), 100 * i);
  EXPECT_EQ(rate.PerSecond(), 100);
  for (int i = 1; i <= 5; ++i) rate.Add(begin + seconds(20 + i), 2000 + 10 * i);
  EXPECT_EQ(rate.PerSecond(), 55);
  for (int i = 6; i <= 10; ++i) {
    rate.Add(begin + seconds(20 + i), 2000 + 10 * i);
  }
  EXPECT_EQ(rate.PerSecond(), 10);
}

TEST(RecentRateTest, APauseCounts) {
  const ProgressClock::time_point begin;
  RecentRate rate(begin);
  rate.Add(begin + seconds(1), 100);
  rate.Add(begin + seconds(50), 200);
  EXPECT_EQ(rate.PerSecond(), 100.0 / 49);
}

TEST(DurationTextTest, HasAUnitThatFits) {
  EXPECT_EQ(DurationText(0.4), "0 s");
  EXPECT_EQ(DurationText(119), "119 s");
  EXPECT_EQ(DurationText(121), "2 min");
  EXPECT_EQ(DurationText(119 * 60), "119 min");
  EXPECT_EQ(DurationText(7200), "2 h");
}

}  // namespace
}  // namespace gguf
