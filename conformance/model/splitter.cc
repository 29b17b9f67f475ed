// Splits texts by the expressions of splittings.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/splitter.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/tables/character_sets.h"
#include "conformance/tables/splittings.h"

namespace gguf {
namespace {

// A bit for each row of character_sets.tsv.
using Sets = uint32_t;

// The classes of characters: which sets each character belongs to.
class Classes {
 public:
  static const Classes& Get() {
    static const auto* const kClasses = new Classes;
    return *kClasses;
  }

  uint8_t Of(uint32_t code_point) const {
    if (code_point < kFirstShared) return static_cast<uint8_t>(code_point);
    const auto after =
        std::upper_bound(runs_.begin(), runs_.end(), code_point,
                         [](uint32_t value, const Run& run) { return value < run.first; });
    return std::prev(after)->byte;
  }

  Sets SetsOf(uint8_t byte) const { return sets_[byte]; }

 private:
  static constexpr uint32_t kFirstShared = 0x80;

  struct Run {
    uint32_t first;
    uint8_t byte;
  };

  Classes() {
    // Where the sets change, and which.
    std::map<uint32_t, Sets> changes = {{0, 0}, {kFirstShared, 0}};
    Assert(kCharacterSets.size <= 32, "too many sets of characters");
    for (size_t i = 0; i < kCharacterSets.size; ++i) {
      for (const absl::string_view range : absl::StrSplit(kCharacterSets[i].code_points, ' ')) {
        const std::pair<absl::string_view, absl::string_view> ends =
            absl::StrSplit(range, absl::MaxSplits('-', 1));
        uint32_t first = 0;
        uint32_t last = 0;
        const bool is_number =
            absl::SimpleHexAtoi(ends.first, &first) &&
            absl::SimpleHexAtoi(ends.second.empty() ? ends.first : ends.second, &last);
        Assert(is_number && first <= last, "not a range of code points");
        changes[first] ^= Sets{1} << i;
        changes[last + 1] ^= Sets{1} << i;
      }
    }
    std::map<Sets, uint8_t> bytes;
    Sets sets = 0;
    for (auto it = changes.begin(); it != changes.end(); ++it) {
      sets ^= it->second;
      const auto next = std::next(it);
      const uint32_t end = next == changes.end() ? it->first : next->first;
      if (it->first < kFirstShared) {
        for (uint32_t c = it->first; c < end; ++c) sets_[c] = sets;
        continue;
      }
      const auto [place, is_new] =
          bytes.try_emplace(sets, static_cast<uint8_t>(kFirstShared + bytes.size()));
      Assert(bytes.size() <= 256 - kFirstShared, "too many classes of characters");
      if (is_new) sets_[place->second] = sets;
      runs_.push_back({it->first, place->second});
    }
  }

  Sets sets_[256] = {};
  std::vector<Run> runs_;
};

// Returns the sets that a character must be in, and must not be in, to match "L&!Han".
std::pair<Sets, Sets> ParseSets(absl::string_view names) {
  std::pair<Sets, Sets> both;
  for (absl::string_view name : absl::StrSplit(names, '&')) {
    const bool is_in = !absl::ConsumePrefix(&name, "!");
    const auto row = std::find_if(kCharacterSets.begin(), kCharacterSets.end(),
                                  [&](const auto& set) { return set.name == name; });
    Assert(row != kCharacterSets.end(), "not a set of characters");
    (is_in ? both.first : both.second) |= Sets{1} << (row - kCharacterSets.begin());
  }
  return both;
}

// Returns the ranges of bytes that match, for a class in brackets.
std::string BytesIn(absl::string_view names) {
  const auto [in, out] = ParseSets(names);
  std::string ranges;
  const auto matches = [&, in = in, out = out](int byte) {
    const Sets sets = Classes::Get().SetsOf(static_cast<uint8_t>(byte));
    return (sets & in) == in && (sets & out) == 0;
  };
  for (int first = 0; first < 256; ++first) {
    if (!matches(first)) continue;
    int last = first;
    while (last < 255 && matches(last + 1)) ++last;
    absl::StrAppendFormat(&ranges, "\\x%02X-\\x%02X", first, last);
    first = last;
  }
  return ranges;
}

// Returns the expression with bytes in place of \p{NAMES} and \P{NAMES}.
std::string Expand(absl::string_view expression) {
  std::string out;
  bool in_brackets = false;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    const absl::string_view rest = expression.substr(i);
    if (absl::StartsWith(rest, "\\p{") || absl::StartsWith(rest, "\\P{")) {
      const std::string bytes = BytesIn(rest.substr(3, rest.find('}') - 3));
      absl::StrAppend(&out,
                      in_brackets      ? ""
                      : rest[1] == 'P' ? "[^"
                                       : "[",
                      bytes, in_brackets ? "" : "]");
      i += rest.find('}');
    } else if (c == '\\') {
      absl::StrAppend(&out, rest.substr(0, 2));
      ++i;
    } else {
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

uint8_t ClassOf(uint32_t code_point) { return Classes::Get().Of(code_point); }

bool IsLetterClass(uint8_t byte) {
  static const Sets kLetters = ParseSets("L").first;
  return (Classes::Get().SetsOf(byte) & kLetters) != 0;
}

bool IsMarkClass(uint8_t byte) {
  static const Sets kMarks = ParseSets("M").first;
  return (Classes::Get().SetsOf(byte) & kMarks) != 0;
}

Splitter::Splitter(Splitting splitting) {
  for (const auto& row : kSplittings) {
    if (row.splitting != splitting) continue;
    steps_.push_back(std::make_unique<const RE2>(Expand(row.expression), RE2::Latin1));
    Assert(steps_.back()->ok(), "not an expression");
  }
}

std::vector<size_t> Splitter::WordEnds(absl::string_view text) const {
  std::vector<size_t> ends = {text.size()};
  for (const auto& step : steps_) {
    std::vector<size_t> finer;
    size_t begin = 0;
    for (const size_t end : ends) {
      const int groups = step->NumberOfCapturingGroups();
      re2::StringPiece match[2];
      size_t at = begin;
      while (at < end) {
        const re2::StringPiece rest(text.data() + at, end - at);
        if (!step->Match(rest, 0, rest.size(), RE2::UNANCHORED, match, groups + 1)) break;
        const re2::StringPiece& found =
            groups > 0 && match[1].data() != nullptr ? match[1] : match[0];
        if (found.empty()) break;
        const auto first = static_cast<size_t>(found.data() - text.data());
        if (first > at) finer.push_back(first);
        at = first + found.size();
        finer.push_back(at);
      }
      if (finer.empty() || finer.back() != end) finer.push_back(end);
      begin = end;
    }
    ends = std::move(finer);
  }
  return ends;
}

bool Splitter::IsInOneWord(absl::string_view text, size_t begin, size_t end) const {
  const std::vector<size_t> ends = WordEnds(text);
  return *std::upper_bound(ends.begin(), ends.end(), begin) >= end;
}

}  // namespace gguf
