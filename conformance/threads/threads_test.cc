// SPDX-License-Identifier: Apache-2.0

#include "conformance/threads/threads.h"

#include <sys/resource.h>

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

// Leaves no address space for the stacks of threads.  `ulimit -u` does not
// apply to root.
TEST(ThreadsDeathTest, FewerThreadsThanAskedForDoTheWork) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer needs the address space";
#endif
  EXPECT_EXIT(
      {
        rlimit limit;
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = 1;
        setrlimit(RLIMIT_AS, &limit);
        std::atomic<int> runs{0};
        RunThreads(4, [&] { ++runs; });
        _exit(runs == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace gguf
