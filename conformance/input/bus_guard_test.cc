// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/bus_guard.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gguf {
namespace {

// A file of one page, mapped at `where`.
class MappedPage {
 public:
  MappedPage(const std::string& name, void* where) : path_(testing::TempDir() + name) {
    const int fd = open(path_.c_str(), O_RDWR | O_CREAT, 0600);
    EXPECT_EQ(ftruncate(fd, kSize), 0);
    begin_ = static_cast<const char*>(mmap(where, kSize, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0));
    EXPECT_EQ(begin_, where);
    close(fd);
  }

  static constexpr size_t kSize = 4096;
  const char* begin() const { return begin_; }
  void Shrink() const { EXPECT_EQ(truncate(path_.c_str(), 0), 0); }

 private:
  std::string path_;
  const char* begin_;
};

TEST(BusGuardTest, AFreedGuardTakesNoFaultOfAnother) {
  char* const room = static_cast<char*>(mmap(nullptr, 2 * MappedPage::kSize, PROT_NONE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  const MappedPage low("low", room);
  const MappedPage high("high", room + MappedPage::kSize);
  const int freed = GuardMapping(high.begin(), MappedPage::kSize);
  const int guard = GuardMapping(low.begin(), MappedPage::kSize);
  ASSERT_GE(guard, 0);
  UnguardMapping(freed);

  low.Shrink();
  EXPECT_EQ(*static_cast<const volatile char*>(low.begin()), 0);

  EXPECT_TRUE(MappingFaulted(guard));
  EXPECT_FALSE(MappingFaulted(freed));
  UnguardMapping(guard);
}

TEST(BusGuardTest, ThereAreAsManyGuardsAsItSays) {
  const char byte = 0;
  std::vector<int> guards;
  for (int i = 0; i < kMostGuards; ++i) guards.push_back(GuardMapping(&byte, 1));
  for (const int guard : guards) EXPECT_GE(guard, 0);
  EXPECT_EQ(GuardMapping(&byte, 1), -1);
  for (const int guard : guards) UnguardMapping(guard);
}

}  // namespace
}  // namespace gguf
