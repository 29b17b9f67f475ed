// Counts the tokens that pre-tokenizers cut.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/pre_tokenizer_fit.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/base/limits.h"
#include "conformance/model/splitter.h"
#include "conformance/tables/table.h"

namespace gguf {
namespace {

// What may stand before and after a token so that a word of some pre-tokenizer reaches into it.
constexpr absl::string_view kBefore[] = {"", "!", "a", "0", " ", "\n"};
constexpr absl::string_view kAfter[] = {"", "\n", "s", "A", " ", "!", "0"};

// Has of each kind of character, so that the number of words tells how finely a splitting cuts.
constexpr absl::string_view kText =
    "The HTMLParser's 1234567 words (x+1),\n don't {stop}; a_b == \"C3PO\"\t// 2026/11/28...\n";

bool IsAlwaysCut(const Splitter& splitter, const std::string& shape) {
  for (const absl::string_view before : kBefore) {
    for (const absl::string_view after : kAfter) {
      const std::string text = absl::StrCat(before, shape, after);
      if (splitter.IsInOneWord(text, before.size(), before.size() + shape.size())) return false;
    }
  }
  return true;
}

}  // namespace

CutTokens FindCutTokens(const TokenShapes& tokens, Splitting splitting, uint64_t most) {
  const Splitter splitter(splitting);
  CutTokens cut;
  for (const TokenShape& shape : tokens.shapes()) {
    if (cut.count > most) break;
    PollDeadline();
    if (!IsAlwaysCut(splitter, shape.text)) continue;
    if (cut.first == nullptr) cut.first = &shape;
    cut.count += shape.count;
  }
  return cut;
}

std::optional<uint64_t> MostCutByRightOne(const TokenShapes& tokens) {
  constexpr uint64_t kFewestTokens = 500;
  constexpr double kShare = 3e-4;
  constexpr uint64_t kStrays = 2;
  if (tokens.tokens() < kFewestTokens) return std::nullopt;
  return std::max(kStrays, static_cast<uint64_t>(kShare * static_cast<double>(tokens.tokens())));
}

std::vector<Splitting> FittingSplittings(const TokenShapes& tokens) {
  const auto most = MostCutByRightOne(tokens);
  if (!most) return {};
  std::vector<std::pair<size_t, Splitting>> fitting;
  size_t most_words = 0;
  for (size_t i = 0; i < std::size(EnumWords<Splitting>::kWords); ++i) {
    const auto splitting = static_cast<Splitting>(i);
    const size_t words = Splitter(splitting).WordEnds(kText).size();
    most_words = std::max(most_words, words);
    fitting.emplace_back(words, splitting);
  }
  // One that hardly ever cuts fits any vocabulary, and proves nothing.
  constexpr size_t kFewestOfMost = 3;
  fitting.erase(std::remove_if(fitting.begin(), fitting.end(),
                               [&](const auto& one) {
                                 return one.first * kFewestOfMost < most_words ||
                                        FindCutTokens(tokens, one.second, *most).count > *most;
                               }),
                fitting.end());
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Splitting> splittings;
  splittings.reserve(fitting.size());
  for (const auto& [words, splitting] : fitting) splittings.push_back(splitting);
  return splittings;
}

}  // namespace gguf
