// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/image_writer.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/language/number.h"

namespace gguf::corpus {
namespace {

constexpr uint64_t kMaxSize = uint64_t{1} << 62;  // With counted zeros.
constexpr char kTooLarge[] = "this makes the file too large";

}  // namespace

bool ImageWriter::Number(absl::int128 number, int bytes) {
  const auto bits = Encode(number, bytes);
  if (!bits) {
    return Fail(absl::StrCat("a number does not fit ", bytes, " bytes"));
  }
  char buffer[8];
  for (int i = 0; i < bytes; ++i) {
    const int byte = big_endian_ ? bytes - 1 - i : i;
    buffer[i] = static_cast<char>(*bits >> (8 * byte));
  }
  return Bytes({buffer, static_cast<size_t>(bytes)});
}

bool ImageWriter::HasRoom(uint64_t bytes, uint64_t times) {
  return bytes == 0 || times <= max_stored_ / bytes || Fail(kTooLarge);
}

bool ImageWriter::Bytes(absl::string_view bytes, uint64_t times) {
  constexpr uint64_t kBlock = 4096;
  if (bytes.empty() || times == 0) return true;
  const uint64_t size = bytes.size() * times;
  if (!HasRoom(bytes.size(), times) || !Room(size, size)) return false;
  const uint64_t in_block = std::clamp<uint64_t>(kBlock / bytes.size(), 1, times);
  std::string block;
  for (uint64_t i = 0; i < in_block; ++i) absl::StrAppend(&block, bytes);
  for (uint64_t left = times; left > 0;) {
    const uint64_t some = std::min(left, in_block);
    image_.Append(absl::string_view(block).substr(0, some * bytes.size()));
    left -= some;
  }
  return true;
}

bool ImageWriter::Copies(const Image& image, uint64_t times) {
  if (image.size() == 0 || times == 0) return true;
  if (times > kMaxSize / image.size()) return Fail(kTooLarge);
  if (image.is_zeros()) return Zeros(image.size() * times);
  const uint64_t stored = image.stored();
  if (!HasRoom(stored, times) || !Room(stored * times, image.size() * times)) {
    return false;
  }
  for (uint64_t i = 0; i < times; ++i) image_.Append(image);
  return true;
}

bool ImageWriter::Zeros(uint64_t count) {
  if (!Room(Image::StoredZeros(count), count)) return false;
  image_.AppendZeros(count);
  return true;
}

bool ImageWriter::Append(const Image& taken) {
  if (!Room(0, taken.size())) return false;
  image_.Append(taken);
  return true;
}

bool ImageWriter::Overwrite(uint64_t offset, const Image& bytes) {
  constexpr uint64_t kNewSegments = 3;  // Itself, and the rest on either side.
  return Room(kNewSegments * Image::kStoredSegment, 0) && Step(image_.Overwrite(offset, bytes));
}

bool ImageWriter::Align(uint64_t alignment) {
  const uint64_t over = size() % alignment;
  return Zeros(over == 0 ? 0 : alignment - over);
}

bool ImageWriter::Step(uint64_t bytes) {
  constexpr uint64_t kBytesAStep = 64;
  steps_ += 1 + bytes / kBytesAStep;
  return steps_ <= max_stored_ / kBytesAStep || Fail("too many repetitions");
}

bool ImageWriter::Fail(absl::string_view message) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat("line ", at_.line, ", column ", at_.column, ": ", message));
  }
  return false;
}

Image ImageWriter::Take() { return std::exchange(image_, {}); }

bool ImageWriter::Room(uint64_t stored, uint64_t size) {
  stored_ += stored;
  return (stored_ <= max_stored_ && size <= kMaxSize - image_.size()) || Fail(kTooLarge);
}

}  // namespace gguf::corpus
