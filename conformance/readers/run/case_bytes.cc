// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/case_bytes.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/image_file.h"

namespace gguf {
absl::StatusOr<CaseBytes> CaseBytes::Make(const corpus::Image& image) {
  constexpr uint64_t kSmall = 1 << 20;
  CaseBytes made;
  if (image.size() <= kSmall) {
    made.small_ = image.ToString();
    return made;
  }
  std::error_code error;
  std::string path =
      std::filesystem::temp_directory_path(error) / "ggufcheck-case-XXXXXX";
  const int fd = mkstemp(&path[0]);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make " + path);
  const absl::Status written = corpus::WriteImage(image, path);
  unlink(path.c_str());
  void* const mapped =
      written.ok() ? mmap(nullptr, image.size(), PROT_READ, MAP_PRIVATE, fd, 0)
                   : MAP_FAILED;
  const int why = errno;
  close(fd);
  if (!written.ok()) return written;
  if (mapped == MAP_FAILED) {
    return absl::ErrnoToStatus(why, absl::StrCat("cannot map ", path));
  }
  made.mapped_ = mapped;
  made.size_ = image.size();
  return made;
}

CaseBytes::CaseBytes(CaseBytes&& other) noexcept
    : small_(std::move(other.small_)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      size_(other.size_) {}

CaseBytes::~CaseBytes() {
  if (mapped_ != nullptr) munmap(mapped_, size_);
}

Bytes CaseBytes::bytes() const {
  return mapped_ != nullptr ? Bytes(static_cast<const uint8_t*>(mapped_), size_)
                            : AsBytes(small_);
}

}  // namespace gguf
