// Hex; UTF-8 decoding after table 3-7 of the Unicode standard; escaping of untrusted text;
// Levenshtein's distance.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/text.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gguf {
namespace {

// Returns the value of a hexadecimal digit, or -1.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> BytesFromHex(absl::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = DigitValue(hex[i]);
    const int low = DigitValue(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

// UTF-8 decoding after table 3-7 of the Unicode standard.

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

// Escapes untrusted text for messages.

namespace {

// Returns whether what is appended next begins a line, which GitHub executes if
// it begins with two colons.
bool IsAtLineStart(const std::string& out) {
  const size_t last = out.find_last_not_of(" \t");
  return last == out.npos || out[last] == '\n';
}

// Appends the code point at text[*at], or an escape if it must not be shown,
// and moves `*at` past it.
void AppendVisible(absl::string_view text, size_t* at, std::string* out) {
  const size_t begin = *at;
  const uint32_t code_point = NextCodePoint(text, at);
  const absl::string_view bytes = text.substr(begin, *at - begin);
  if (code_point == kBadCodePoint || IsControl(code_point) || BeginsCommand(text.substr(begin)) ||
      (absl::StartsWith(text.substr(begin), "::") && IsAtLineStart(*out))) {
    if (code_point == '\n') {
      out->append("\\n");
    } else if (code_point == '\t') {
      out->append("\\t");
    } else if (code_point == '\r') {
      out->append("\\r");
    } else {
      for (const char byte : bytes) {
        absl::StrAppendFormat(out, "\\x%02x", static_cast<uint8_t>(byte));
      }
    }
  } else if (IsInvisible(code_point)) {
    absl::StrAppendFormat(out, "\\u{%x}", code_point);
  } else {
    out->append(bytes.data(), bytes.size());
  }
}

// Keeps the characters in `layout`.
std::string VisibleBut(absl::string_view layout, absl::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (absl::StrContains(layout, text[at])) {
      out.push_back(text[at++]);
    } else {
      AppendVisible(text, &at, &out);
    }
  }
  return out;
}

}  // namespace

std::string Escape(absl::string_view text, size_t most) {
  std::string out;
  out.reserve(std::min(text.size(), most));
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    NextCodePoint(text, &end);
    if (end > most) return absl::StrCat(out, "... (", text.size(), " bytes)");
    if (text[at] == '\\' || text[at] == '"') out.push_back('\\');
    AppendVisible(text, &at, &out);
  }
  return out;
}

std::string Quote(absl::string_view text, size_t most) {
  return absl::StrCat("\"", Escape(text, most), "\"");
}

std::string Visible(absl::string_view text) { return VisibleBut("", text); }

std::string VisibleLines(absl::string_view text) { return VisibleBut("\n\t", text); }

// Levenshtein's distance, row by row, near the diagonal.

size_t EditDistance(absl::string_view a, absl::string_view b, size_t limit) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() >= limit) return limit;
  limit = std::min(limit, b.size() + 1);

  // A cell that is `limit` or more columns from the diagonal has at least that
  // distance, and is not computed.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    const size_t begin = i > limit ? i - limit : 1;
    const size_t end = std::min(b.size(), i + limit);
    size_t diagonal = row[begin - 1];
    row[begin - 1] = begin == 1 ? i : limit;
    size_t least = row[begin - 1];
    for (size_t j = begin; j <= end; ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min(replaced, std::min(row[j - 1], row[j]) + 1);
      least = std::min(least, row[j]);
    }
    if (least >= limit) return limit;  // No later row has less.
  }
  return std::min(row.back(), limit);
}

std::string Count(uint64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string ClosestWord(absl::string_view word, absl::Span<const absl::string_view> words) {
  constexpr size_t kLongest = 64;
  std::string closest;
  if (word.size() > kLongest) return closest;
  size_t least = 6;  // Any more is hardly a typo.
  for (const absl::string_view candidate : words) {
    // Nor is a change of more than a third of the shorter word.
    const size_t third = (std::min(word.size(), candidate.size()) + 1) / 3;
    const size_t limit = std::min(least, third + 1);
    const size_t distance =
        EditDistance(absl::AsciiStrToLower(word), absl::AsciiStrToLower(candidate), limit);
    if (distance >= limit) continue;
    least = distance;
    closest = std::string(candidate);
  }
  return closest;
}

std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> words) {
  const std::string closest = ClosestWord(word, words);
  return closest.empty() || closest == word ? "" : absl::StrCat("; did you mean ", closest, "?");
}

}  // namespace gguf
