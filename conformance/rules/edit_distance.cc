// Levenshtein's distance, row by row, near the diagonal.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace gguf {

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

std::string ClosestWord(absl::string_view word, absl::Span<const absl::string_view> words) {
  constexpr size_t kLongest = 64;
  std::string closest;
  if (word.size() > kLongest) return closest;
  size_t least = 6;  // Any more is hardly a typo.
  for (const absl::string_view candidate : words) {
    // Nor is a change of more than half of the shorter word.
    const size_t half = std::min(word.size(), candidate.size()) / 2;
    const size_t limit = std::min(least, half + 1);
    const size_t distance = EditDistance(word, candidate, limit);
    if (distance >= limit) continue;
    least = distance;
    closest = std::string(candidate);
  }
  return closest;
}

}  // namespace gguf
