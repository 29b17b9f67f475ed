// Decodes merges, and sorts the tokens that they make by shape.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/token_shapes.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/model/byte_letters.h"
#include "conformance/model/splitter.h"

namespace gguf {
namespace {

// Returns the shape of a text of two or more characters without marks; empty for others.
std::string ShapeOf(absl::string_view text) {
  const bool keeps_letters = absl::StrContains(text, '\'');
  std::string shape;
  size_t characters = 0;
  for (size_t at = 0; at < text.size();) {
    // Most characters are ASCII, and each is a class of its own.
    const bool is_ascii = absl::ascii_isascii(text[at]);
    uint8_t byte = is_ascii ? text[at++] : ClassOf(NextCodePoint(text, &at));
    ++characters;
    if (!is_ascii && IsMarkClass(byte)) return "";
    if (absl::ascii_isdigit(byte)) byte = '0';
    if (!keeps_letters && (is_ascii ? absl::ascii_isalpha(byte) : IsLetterClass(byte))) {
      if (absl::ascii_islower(byte)) byte = 'a';
      if (absl::ascii_isupper(byte)) byte = 'A';
      if (!shape.empty() && static_cast<uint8_t>(shape.back()) == byte) continue;
    }
    shape.push_back(static_cast<char>(byte));
  }
  return characters < 2 ? "" : shape;
}

// Returns whether a merge makes a word of small letters, which no pre-tokenizer cuts.
bool MakesWord(absl::string_view merge) {
  absl::ConsumePrefix(&merge, kByteLevelSpace);
  const size_t space = merge.find(' ');
  if (space == absl::string_view::npos || merge.size() < 3) return false;
  for (size_t i = 0; i < merge.size(); ++i) {
    if (i != space && !absl::ascii_islower(merge[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> TextOfMerge(absl::string_view merge) {
  std::string bytes;
  bool has_second = false;
  for (size_t at = 0; at < merge.size();) {
    if (absl::ascii_isgraph(merge[at])) {  // Stands for itself.
      bytes.push_back(merge[at++]);
      continue;
    }
    const uint32_t letter = NextCodePoint(merge, &at);
    if (letter == ' ' && !bytes.empty() && !has_second) {
      has_second = true;
      continue;
    }
    const int byte = ByteOfLetter(letter);
    if (byte < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

TokenShapes::TokenShapes(const File& file, const KeyValue& merges, uint64_t most) {
  const uint64_t distance = std::max<uint64_t>(1, (merges.length + most - 1) / most);
  absl::flat_hash_map<std::string, size_t> index;
  ForEachString(file, merges, [&](absl::string_view merge, Range where, uint64_t element) {
    constexpr size_t kLongest = 128;  // Longer ones are made up, and take time.
    if (element % distance != 0 || merge.size() > kLongest) return;
    with_byte_space_ += absl::StrContains(merge, kByteLevelSpace);
    with_plain_space_ += absl::StrContains(merge, kSentencePieceSpace);
    if (MakesWord(merge)) {
      ++tokens_;
      return;
    }
    const auto text = TextOfMerge(merge);
    if (!text || !IsValidUtf8(*text)) return;
    std::string shape = ShapeOf(*text);
    if (shape.empty()) return;
    ++tokens_;
    const auto [place, is_new] = index.try_emplace(shape, shapes_.size());
    if (is_new) shapes_.push_back({std::move(shape), 0, merge, where, element});
    ++shapes_[place->second].count;
  });
  std::stable_sort(shapes_.begin(), shapes_.end(),
                   [](const TokenShape& a, const TokenShape& b) { return a.count > b.count; });
}

std::optional<bool> TokenShapes::is_byte_level() const {
  constexpr uint64_t kFewest = 100;
  if (std::max(with_byte_space_, with_plain_space_) < kFewest) return std::nullopt;
  return with_byte_space_ > with_plain_space_;
}

}  // namespace gguf
