// Nearly every page, or word, is settled by one test.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/byte_scan.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gguf {
namespace {

constexpr size_t kPage = 4096;

}  // namespace

bool IsZero(Bytes bytes) {
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

size_t CountLeadingZeros(Bytes bytes) {
  size_t count = 0;
  while (bytes.size() - count >= kPage && IsZero(bytes.subspan(count, kPage))) count += kPage;
  while (count < bytes.size() && bytes[count] == 0) ++count;
  return count;
}

size_t CountTrailingZeros(Bytes bytes) {
  size_t left = bytes.size();
  while (left >= kPage && IsZero(bytes.subspan(left - kPage, kPage))) left -= kPage;
  while (left > 0 && bytes[left - 1] == 0) --left;
  return bytes.size() - left;
}

TextFinder::TextFinder(absl::string_view text) : text_(text), step_(text.size() - kWord + 1) {
  Assert(text.size() >= 2 * kWord, "a text is too short to be found");
  for (size_t i = 0; i < step_; ++i) words_.set(Place(AsBytes(text).data() + i));
}

size_t TextFinder::Find(Bytes bytes) const {
  for (size_t at = 0; at + kWord <= bytes.size(); at += step_) {
    if (!words_[Place(bytes.data() + at)]) continue;
    const size_t begin = at - std::min(at, step_ - 1);
    const Bytes around = bytes.subspan(begin, at + text_.size() - begin);
    const size_t found = AsText(around).find(text_);
    if (found != absl::string_view::npos) return begin + found;
  }
  return bytes.size();
}

size_t TextFinder::Place(const uint8_t* at) {
  uint64_t word;
  std::memcpy(&word, at, kWord);
  return word * 0x9E3779B97F4A7C15 >> (64 - kBits);
}

}  // namespace gguf
