// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/file_status.h"

#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace gguf {
namespace {

bool SameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

bool Same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         SameTime(a.st_mtim, b.st_mtim) && SameTime(a.st_ctim, b.st_ctim);
}

void AwaitNextStep(const timespec& changed) {
  constexpr int64_t kLongestStep = 20'000'000;
  constexpr timespec kMillisecond = {0, 1'000'000};
  timespec now;
  while (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0) {
    const int64_t left =
        (changed.tv_sec - now.tv_sec) * int64_t{1'000'000'000} + changed.tv_nsec - now.tv_nsec;
    if (left < 0 || left > kLongestStep) return;
    nanosleep(&kMillisecond, nullptr);
  }
}

std::optional<struct stat> StatusOf(const std::string& path) {
  struct stat status;
  const int failed = path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status);
  if (failed != 0) return std::nullopt;
  return status;
}

}  // namespace gguf
