// Puts an image into memory: a string, or a mapped sparse file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/golden/case_bytes.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/image.h"

namespace gguf {

absl::StatusOr<CaseBytes> CaseBytes::Make(const corpus::Image& image) {
  constexpr uint64_t kSmall = 1 << 20;
  CaseBytes made;
  if (image.size() <= kSmall) {
    const auto text = std::make_shared<const std::string>(image.ToString());
    made.bytes_ = AsBytes(*text);
    made.owner_ = text;
    return made;
  }
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error) / "ggufcheck-case-XXXXXX";
  const int fd = mkstemp(&path[0]);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make " + path);
  const absl::Status written = corpus::WriteImage(image, path);
  unlink(path.c_str());
  void* const mapped =
      written.ok() ? mmap(nullptr, image.size(), PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  const int why = errno;
  close(fd);
  if (!written.ok()) return written;
  if (mapped == MAP_FAILED) {
    return absl::ErrnoToStatus(why, absl::StrCat("cannot map ", path));
  }
  made.bytes_ = Bytes(static_cast<const uint8_t*>(mapped), image.size());
  made.owner_.reset(mapped, [size = image.size()](void* at) { munmap(at, size); });
  return made;
}

}  // namespace gguf
