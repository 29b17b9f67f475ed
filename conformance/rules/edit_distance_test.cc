// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/edit_distance.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// By the definition, over the whole table.
size_t FullDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<size_t>> distance(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      distance[i][j] = std::min({distance[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                                 distance[i - 1][j] + 1, distance[i][j - 1] + 1});
    }
  }
  return distance[a.size()][b.size()];
}

// Returns the words of at most `size` letters.
std::vector<std::string> Words(size_t size) {
  std::vector<std::string> words = {""};
  for (size_t i = 0; i < words.size() && words[i].size() < size; ++i) {
    for (const char letter : {'a', 'b'}) words.push_back(words[i] + letter);
  }
  return words;
}

TEST(EditDistanceTest, IsThatOfTheWholeTableUpToTheLimit) {
  const std::vector<std::string> words = Words(5);
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      const size_t full = FullDistance(a, b);
      EXPECT_EQ(EditDistance(a, b), full) << a << " " << b;
      for (size_t limit = 0; limit < 7; ++limit) {
        EXPECT_EQ(EditDistance(a, b, limit), std::min(full, limit))
            << a << " " << b << " " << limit;
      }
    }
  }
}

TEST(EditDistanceTest, TheClosestWordIsProbablyMeant) {
  EXPECT_EQ(ClosestWord("blok_count", {"block_size", "block_count"}), "block_count");
  EXPECT_EQ(ClosestWord("size", {"block_count", "length"}), "");
  EXPECT_EQ(ClosestWord(std::string(65, 'a'), {std::string(64, 'a')}), "");
}

}  // namespace
}  // namespace gguf
