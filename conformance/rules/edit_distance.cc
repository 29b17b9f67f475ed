// Levenshtein's distance, row by row.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/edit_distance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gguf {

size_t EditDistance(absl::string_view a, absl::string_view b, size_t limit) {
  const size_t same =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  a.remove_prefix(same);
  b.remove_prefix(same);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
    // No later row has less than the least of this one.
    if (*std::min_element(row.begin(), row.end()) >= limit) return limit;
  }
  return std::min(row.back(), limit);
}

std::string ClosestWord(absl::string_view word,
                        absl::Span<const absl::string_view> words) {
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
