// Stores pieces and runs of zeros; reads and writes files.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/image.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gguf::corpus {

uint64_t Image::StoredZeros(uint64_t count) {
  constexpr uint64_t kWorthCounting = 4096;
  return count < kWorthCounting ? count : kStoredSegment;
}

void Image::Append(absl::string_view bytes) {
  if (bytes.empty()) return;
  if (segments_.empty() || segments_.back().zeros > 0) {
    segments_.push_back({size_, "", 0});
  }
  segments_.back().bytes.append(bytes.data(), bytes.size());
  size_ += bytes.size();
}

void Image::AppendZeros(uint64_t count) {
  if (StoredZeros(count) == count) return Append(std::string(count, '\0'));
  if (segments_.empty()) segments_.emplace_back();
  segments_.back().zeros += count;
  size_ += count;
}

void Image::Append(const Image& other) {
  for (const Segment& segment : other.segments_) {
    Append(segment.bytes);
    AppendZeros(segment.zeros);
  }
}

void Image::Truncate(uint64_t size) {
  while (size_ > size) {
    Segment& last = segments_.back();
    const uint64_t zeros = std::min(last.zeros, size_ - size);
    last.zeros -= zeros;
    size_ -= zeros;
    const uint64_t bytes = std::min<uint64_t>(last.bytes.size(), size_ - size);
    last.bytes.resize(last.bytes.size() - bytes);
    size_ -= bytes;
    if (last.bytes.empty() && last.zeros == 0) segments_.pop_back();
  }
}

size_t Image::SegmentAt(uint64_t offset) const {
  const auto found =
      std::upper_bound(segments_.begin(), segments_.end(), offset,
                       [](uint64_t at, const Segment& segment) { return at < segment.end(); });
  return found - segments_.begin();
}

Image Image::Part(uint64_t begin, uint64_t end) const {
  Image part;
  for (size_t i = SegmentAt(begin); i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    if (segment.begin >= end) break;
    const uint64_t from = std::clamp(begin, segment.begin, segment.middle());
    const uint64_t to = std::clamp(end, from, segment.middle());
    part.Append(absl::string_view(segment.bytes).substr(from - segment.begin, to - from));
    const uint64_t first_zero = std::clamp(begin, segment.middle(), segment.end());
    part.AppendZeros(std::clamp(end, first_zero, segment.end()) - first_zero);
  }
  return part;
}

bool Image::is_zeros() const {
  return std::all_of(segments_.begin(), segments_.end(), [](const Segment& segment) {
    return segment.bytes.find_first_not_of('\0') == std::string::npos;
  });
}

uint64_t Image::stored() const {
  uint64_t stored = 0;
  for (const Segment& segment : segments_) {
    stored += segment.bytes.size() + StoredZeros(segment.zeros);
  }
  return stored;
}

uint64_t Image::Overwrite(uint64_t offset, const Image& bytes) {
  if (bytes.size() == 0) return 0;
  if (OverwriteBytes(offset, bytes)) return bytes.size();
  uint64_t moved = 0;
  const size_t first = SplitAt(offset, &moved);
  const size_t last = SplitAt(offset + bytes.size(), &moved);
  std::vector<Segment> inserted = bytes.segments_;
  for (Segment& segment : inserted) {
    moved += segment.bytes.size();
    segment.begin += offset;
  }
  segments_.erase(segments_.begin() + first, segments_.begin() + last);
  segments_.insert(segments_.begin() + first, std::make_move_iterator(inserted.begin()),
                   std::make_move_iterator(inserted.end()));
  return moved + (segments_.size() - first) * kStoredSegment;
}

size_t Image::SplitAt(uint64_t offset, uint64_t* moved) {
  const size_t at = SegmentAt(offset);
  if (at == segments_.size() || segments_[at].begin == offset) return at;
  Segment& segment = segments_[at];
  Segment rest = {offset, "", segment.end() - std::max(offset, segment.middle())};
  if (offset < segment.middle()) {
    rest.bytes = segment.bytes.substr(offset - segment.begin);
    segment.bytes.resize(offset - segment.begin);
    segment.zeros = 0;
  } else {
    segment.zeros = offset - segment.middle();
  }
  *moved += rest.bytes.size() + (segments_.size() - at) * kStoredSegment;
  segments_.insert(segments_.begin() + at + 1, std::move(rest));
  return at + 1;
}

// Returns whether the range lies inside the bytes of one segment; then it is
// written.
bool Image::OverwriteBytes(uint64_t offset, const Image& bytes) {
  Segment& segment = segments_[SegmentAt(offset)];
  if (offset + bytes.size() > segment.middle()) return false;
  char* const to = &segment.bytes[offset - segment.begin];
  for (const Segment& from : bytes.segments_) {
    std::copy(from.bytes.begin(), from.bytes.end(), to + from.begin);
    std::fill_n(to + from.middle(), from.zeros, '\0');
  }
  return true;
}

bool Image::ForEachPiece(absl::FunctionRef<bool(absl::string_view)> take) const {
  const std::string zeros(1 << 16, '\0');
  for (const Segment& segment : segments_) {
    if (!take(segment.bytes)) return false;
    for (uint64_t left = segment.zeros; left > 0;) {
      const auto some = absl::string_view(zeros).substr(0, left);
      if (!take(some)) return false;
      left -= some.size();
    }
  }
  return true;
}

std::string Image::ToString() const {
  std::string all;
  for (const Segment& segment : segments_) {
    all += segment.bytes;
    all.append(segment.zeros, '\0');
  }
  return all;
}

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
