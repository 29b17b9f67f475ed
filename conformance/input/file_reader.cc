// Reads with pread, and compares the times and size of the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/file_reader.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

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

absl::StatusOr<size_t> FileReader::ReadSome(uint64_t offset, void* to, size_t size) const {
  const auto got = read_(offset, to, size);
  if (!got.ok()) return got;
  if (*got > size) {
    return absl::InternalError("more bytes were read than requested");
  }
  if (*got == 0) {
    return absl::DataLossError(absl::StrCat("ends after ", offset, " of ", size_, " bytes"));
  }
  return got;
}

void FileReader::Read(uint64_t offset, uint8_t* to, size_t size) const {
  while (size > 0) {
    const auto got = ReadSome(offset, to, size);
    if (!got.ok()) {
      std::fill_n(to, size, 0);
      failed_ = true;
      return;
    }
    offset += *got;
    to += *got;
    size -= *got;
  }
}

absl::Status FileReader::ReadTo(uint64_t count, std::string* bytes) {
  constexpr uint64_t kAtATime = 1 << 20;
  count = std::min(count, size_);
  while (bytes->size() < count) {
    if (deadline_.passed()) return absl::CancelledError(deadline_.why());
    const uint64_t had = bytes->size();
    bytes->resize(had + std::min(kAtATime, count - had));
    const auto got = ReadSome(had, &(*bytes)[had], bytes->size() - had);
    bytes->resize(had + got.value_or(0));
    if (!got.ok()) return got.status();
  }
  return absl::OkStatus();
}

ReadNext FileReader::Stream() {
  return [this, at = uint64_t{0}](char* to, size_t size) mutable -> absl::StatusOr<size_t> {
    if (deadline_.passed()) return absl::CancelledError(deadline_.why());
    if (at == size_) return 0;
    const auto got = ReadSome(at, to, std::min<uint64_t>(size, size_ - at));
    at += got.value_or(0);
    return got;
  };
}

}  // namespace gguf
