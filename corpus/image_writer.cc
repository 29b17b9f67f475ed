// SPDX-License-Identifier: Apache-2.0

#include "corpus/image_writer.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/number.h"

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

bool ImageWriter::Bytes(absl::string_view bytes, uint64_t times) {
  if (bytes.empty()) return true;
  if (times > max_stored_ / bytes.size()) return Fail(kTooLarge);
  const uint64_t size = bytes.size() * times;
  if (!Room(size, size)) return false;
  for (uint64_t i = 0; i < times; ++i) image_.Append(bytes);
  return true;
}

bool ImageWriter::Copies(const Image& image, uint64_t times) {
  if (image.size() == 0 || times == 0) return true;
  if (times > kMaxSize / image.size()) return Fail(kTooLarge);
  if (image.is_zeros()) return Zeros(image.size() * times);
  uint64_t stored = 0;
  for (const Image::Segment& segment : image.segments()) {
    stored += segment.bytes.size();
  }
  if (times > max_stored_ / stored ||
      !Room(stored * times, image.size() * times)) {
    return Fail(kTooLarge);
  }
  for (uint64_t i = 0; i < times; ++i) image_.Append(image);
  return true;
}

bool ImageWriter::Zeros(uint64_t count) {
  if (!Room(0, count)) return false;
  image_.AppendZeros(count);
  return true;
}

bool ImageWriter::Align(uint64_t alignment) {
  const uint64_t over = size() % alignment;
  return Zeros(over == 0 ? 0 : alignment - over);
}

bool ImageWriter::Step() {
  constexpr uint64_t kBytesAStep = 64;
  return ++steps_ <= max_stored_ / kBytesAStep || Fail("too many repetitions");
}

bool ImageWriter::Fail(absl::string_view message) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "line ", at_.line, ", column ", at_.column, ": ", message));
  }
  return false;
}

Image ImageWriter::Take() {
  stored_ = 0;
  return std::exchange(image_, {});
}

bool ImageWriter::Room(uint64_t stored, uint64_t size) {
  stored_ += stored;
  return (stored_ <= max_stored_ && size <= kMaxSize - image_.size()) ||
         Fail(kTooLarge);
}

}  // namespace gguf::corpus
