// SPDX-License-Identifier: Apache-2.0

#include "corpus/image.h"

#include <algorithm>
#include <utility>

namespace gguf::corpus {

void Image::Append(absl::string_view bytes) {
  if (bytes.empty()) return;
  if (segments_.empty() || segments_.back().zeros > 0) segments_.emplace_back();
  segments_.back().bytes.append(bytes.data(), bytes.size());
  size_ += bytes.size();
}

void Image::AppendZeros(uint64_t count) {
  constexpr uint64_t kWorthCounting = 4096;
  if (count < kWorthCounting) return Append(std::string(count, '\0'));
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

Image Image::Part(uint64_t begin, uint64_t end) const {
  Image part;
  uint64_t at = 0;
  for (const Segment& segment : segments_) {
    const uint64_t middle = at + segment.bytes.size();
    const uint64_t from = std::clamp(begin, at, middle);
    const uint64_t to = std::clamp(end, from, middle);
    part.Append(absl::string_view(segment.bytes).substr(from - at, to - from));
    at = middle + segment.zeros;
    const uint64_t first_zero = std::clamp(begin, middle, at);
    part.AppendZeros(std::clamp(end, first_zero, at) - first_zero);
  }
  return part;
}

void Image::Overwrite(uint64_t offset, absl::string_view bytes) {
  Image changed = Part(0, offset);
  changed.Append(bytes);
  changed.Append(Part(offset + bytes.size(), size_));
  *this = std::move(changed);
}

std::string Image::ToString() const {
  std::string all;
  for (const Segment& segment : segments_) {
    all += segment.bytes;
    all.append(segment.zeros, '\0');
  }
  return all;
}

}  // namespace gguf::corpus
