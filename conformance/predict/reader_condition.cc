// Evaluates conditions on the arguments of a finding.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/predict/reader_condition.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace gguf {
namespace {

// Splits a text into words and numbers.
std::vector<absl::string_view> WordsOf(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(", []"), absl::SkipEmpty());
}

std::vector<uint64_t> NumbersOf(absl::string_view text) {
  std::vector<uint64_t> numbers;
  for (const absl::string_view word : WordsOf(text)) {
    uint64_t number;
    if (absl::SimpleAtoi(word, &number)) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

bool Holds(const ReaderEffectRow& row, const NamedTexts& texts) {
  if (row.is == Condition::kAlways) return true;
  const auto text =
      absl::c_find_if(texts, [&](const auto& named) { return named.first == row.of; });
  if (text == texts.end()) return false;
  const std::vector<uint64_t> numbers = NumbersOf(text->second);
  switch (row.is) {
    case Condition::kAlways:
      return true;
    case Condition::kEquals:
      return text->second == row.value;
    case Condition::kContains:
      return absl::StrContains(text->second, row.value);
    case Condition::kAmong: {
      const auto words = WordsOf(text->second), allowed = WordsOf(row.value);
      return absl::c_all_of(words,
                            [&](const auto& word) { return absl::c_linear_search(allowed, word); });
    }
    case Condition::kAbove: {
      const uint64_t bound = NumbersOf(row.value).at(0);
      return absl::c_any_of(numbers, [&](uint64_t number) { return number > bound; });
    }
    case Condition::kWraps: {
      uint64_t product = 1;  // Unsigned: modulo 2^64 is intended.
      for (const uint64_t number : numbers) product *= number;
      return product == 0;
    }
  }
  return false;
}

}  // namespace gguf
