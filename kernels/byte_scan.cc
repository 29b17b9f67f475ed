// Loops over pages: nearly all of them are settled by one test.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/byte_scan.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gguf {
namespace {

constexpr size_t kPage = 4096;

// Returns whether the third and the fourth byte of a text may stand at any of `n` positions.
// Selects instead of branches: the compiler makes vectors of it.
bool MayContain(const uint8_t* at, size_t n, uint8_t third, uint8_t fourth) {
  uint8_t any = 0;
  for (size_t i = 0; i < n; ++i) {
    any |= static_cast<uint8_t>(at[i + 2] == third) & static_cast<uint8_t>(at[i + 3] == fourth);
  }
  return any != 0;
}

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

size_t FindText(Bytes bytes, absl::string_view text) {
  Assert(text.size() >= 4, "a text is too short to be found");
  const size_t all = bytes.size();
  if (all < text.size()) return all;
  const size_t positions = all - text.size() + 1;
  for (size_t at = 0; at < positions; at += kPage) {
    const size_t n = std::min(kPage, positions - at);
    if (!MayContain(bytes.data() + at, n, static_cast<uint8_t>(text[2]),
                    static_cast<uint8_t>(text[3]))) {
      continue;
    }
    const size_t found = AsText(bytes.subspan(at, n + text.size() - 1)).find(text);
    if (found != absl::string_view::npos) return at + found;
  }
  return all;
}

}  // namespace gguf
