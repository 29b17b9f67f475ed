// UTF-8 decoding after table 3-7 of the Unicode standard.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/utf8.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"

namespace gguf {
namespace {

// The number of continuation bytes and the allowed range of the first, by lead
// byte.
struct Lead {
  int continuation;
  uint8_t low, high;
};

Lead ClassifyLead(uint8_t byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

uint32_t NextCodePoint(absl::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(*at);
  if (first < 0x80) {
    ++*at;
    return first;
  }
  const Lead lead = ClassifyLead(first);
  const size_t left = text.size() - *at;
  if (lead.continuation == 0 || left <= static_cast<size_t>(lead.continuation)) {
    ++*at;
    return kBadCodePoint;
  }
  uint32_t code_point = first & (0x3F >> lead.continuation);
  for (int i = 1; i <= lead.continuation; ++i) {
    const uint8_t next = byte(*at + i);
    const uint8_t low = i == 1 ? lead.low : 0x80;
    const uint8_t high = i == 1 ? lead.high : 0xBF;
    if (next < low || next > high) {
      ++*at;
      return kBadCodePoint;
    }
    code_point = code_point << 6 | (next & 0x3F);
  }
  *at += 1 + lead.continuation;
  return code_point;
}

size_t ValidUtf8Prefix(absl::string_view text) {
  // Eight ASCII bytes at a time, then the last eight; they may overlap.
  constexpr size_t kWord = 8;
  const auto is_ascii = [&](size_t begin) {
    uint64_t word;
    std::memcpy(&word, text.data() + begin, kWord);
    return (word & 0x8080808080808080) == 0;
  };
  size_t at = 0;
  while (at < text.size()) {
    if (text.size() >= kWord) {
      const size_t last = text.size() - kWord;
      if (is_ascii(std::min(at, last))) {
        at = std::min(at + kWord, text.size());
        continue;
      }
    }
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    size_t next = at;
    if (NextCodePoint(text, &next) == kBadCodePoint) return at;
    at = next;
  }
  return at;
}

bool IsControl(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

bool IsInvisible(uint32_t code_point) {
  const auto in = [code_point](uint32_t first, uint32_t last) {
    return code_point >= first && code_point <= last;
  };
  const auto is = [code_point](uint32_t other) { return code_point == other; };
  return is(0x00AD) || is(0x034F) || is(0x061C) || in(0x115F, 0x1160) || in(0x180B, 0x180E) ||
         in(0x200B, 0x200F) || in(0x2028, 0x202E) || in(0x2060, 0x2069) || is(0x3164) ||
         in(0xFE00, 0xFE0F) || is(0xFEFF) || is(0xFFA0) || in(0xFFF9, 0xFFFB) ||
         in(0xE0000, 0xE007F) || in(0xE0100, 0xE01EF);
}

bool BeginsCommand(absl::string_view text) {
  return absl::StartsWith(text, "#[") || absl::StartsWithIgnoreCase(text, "#vso[");
}

}  // namespace gguf
