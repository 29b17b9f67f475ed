// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/threads.h"

#include <pthread.h>

#include <atomic>
#include <stdexcept>

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ThreadsTest, EachThreadRunsTheWork) {
  std::atomic<int> runs{0};
  RunThreads(4, [&] { ++runs; });
  EXPECT_EQ(runs, 4);
}

TEST(ThreadsTest, TheCallerAlwaysRunsTheWork) {
  int runs = 0;
  RunThreads(1, [&] { ++runs; });
  RunThreads(0, [&] { ++runs; });
  EXPECT_EQ(runs, 2);
}

TEST(ThreadsTest, AnExceptionEndsInTheCaller) {
  std::atomic<int> runs{0};
  EXPECT_THROW(RunThreads(4,
                          [&] {
                            ++runs;
                            throw std::runtime_error("broken");
                          }),
               std::runtime_error);
  EXPECT_EQ(runs, 4);
}

// Asks for stacks that no address space holds, so that no thread can be made.
// `ulimit -u` does not apply to root.
TEST(ThreadsDeathTest, FewerThreadsThanAskedForDoTheWork) {
  EXPECT_EXIT(
      {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, size_t{1} << 47);
        if (pthread_setattr_default_np(&attributes) != 0) _exit(2);
        std::atomic<int> runs{0};
        RunThreads(4, [&] { ++runs; });
        _exit(runs == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gguf
