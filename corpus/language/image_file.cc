// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/image_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gguf::corpus {
namespace {

// On failure, these return false and leave the reason in errno.

bool WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(count);
  }
  return true;
}

bool WriteSegments(int fd, const Image& image) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    return image.ForEachPiece([&](absl::string_view piece) { return WriteAll(fd, piece); });
  }
  for (const Image::Segment& segment : image.segments()) {
    if (!WriteAll(fd, segment.bytes)) return false;
    if (lseek(fd, static_cast<off_t>(segment.zeros), SEEK_CUR) < 0) return false;
  }
  return ftruncate(fd, static_cast<off_t>(image.size())) == 0;
}

}  // namespace

absl::Status WriteImage(const Image& image, const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool written = fd >= 0 && WriteSegments(fd, image);
  int why = errno;
  if (fd >= 0 && close(fd) != 0 && written) {
    written = false;
    why = errno;
  }
  if (written) return absl::OkStatus();
  return absl::ErrnoToStatus(why, absl::StrCat("cannot write ", path));
}

absl::Status WriteImage(const Image& image, int fd) {
  if (WriteSegments(fd, image)) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot write");
}

void StreamImage(const Image& image, std::ostream& out) {
  image.ForEachPiece(
      [&](absl::string_view piece) { return out.write(piece.data(), piece.size()).good(); });
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t count = fd < 0 ? -1 : 1;
  char block[1 << 16];
  while (count > 0 || (count < 0 && fd >= 0 && errno == EINTR)) {
    count = read(fd, block, sizeof block);
    if (count > 0) text.append(block, count);
  }
  const int why = errno;
  if (fd >= 0) close(fd);
  if (count == 0) return text;
  return absl::ErrnoToStatus(why, absl::StrCat("cannot read ", path));
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot read ", path, ": not a regular file"));
  }
  return ReadFile(path);
}

}  // namespace gguf::corpus
