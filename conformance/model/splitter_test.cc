// Tests how pre-tokenizers cut texts into words.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/splitter.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "conformance/base/text.h"
#include "conformance/tables/table.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// Returns the words of a text in UTF-8, joined by "|".
std::string Words(Splitting splitting, absl::string_view text) {
  std::string classes;
  std::vector<size_t> begins;
  for (size_t at = 0; at < text.size();) {
    begins.push_back(at);
    classes.push_back(static_cast<char>(ClassOf(NextCodePoint(text, &at))));
  }
  begins.push_back(text.size());
  std::vector<absl::string_view> words;
  size_t begin = 0;
  for (const size_t end : Splitter(splitting).WordEnds(classes)) {
    words.push_back(text.substr(begins[begin], begins[end] - begins[begin]));
    begin = end;
  }
  return absl::StrJoin(words, "|");
}

// As llama.cpp cuts them, which was tried.
TEST(SplitterTest, CutsAsLlamaCppDoes) {
  const struct {
    Splitting splitting;
    const char* text;
    const char* words;
  } kCases[] = {
      {Splitting::kGpt2, "I'll say  1234 (x)", "I|'ll| say| | 1234| (|x|)"},
      {Splitting::kStarcoder, "a 123", "a| |1|2|3"},
      {Splitting::kLlamaBpe, "it'S 12345 a(b)\n\n c", "it|'S| |123|45| a|(b|)\n\n| c"},
      {Splitting::kQwen2, "x12 \xE6\xBC\xA2", "x|1|2| \xE6\xBC\xA2"},
      {Splitting::kGpt4o, "camelCase's", "camel|Case's"},
      {Splitting::kTinyAya, "a  1234567", "a| | |1|234|567"},
      {Splitting::kSuperbpe, "two words 12345", "two words |12|345"},
      {Splitting::kJais2, "a    b", "a|  | | b"},
      {Splitting::kKimiK2, "ab\xE6\xBC\xA2\xE3\x81\x82", "ab|\xE6\xBC\xA2|\xE3\x81\x82"},
      {Splitting::kDeepseekV3, "(ab 1234", "(ab| |123|4"},
      {Splitting::kLines, "a b\n\nc", "a b|\n\n|c"},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(Words(test.splitting, test.text), test.words) << WordOf(test.splitting);
  }
}

TEST(SplitterTest, EachSplittingCoversEachText) {
  for (size_t i = 0; i < std::size(EnumWords<Splitting>::kWords); ++i) {
    const Splitter splitter(static_cast<Splitting>(i));
    EXPECT_TRUE(splitter.WordEnds("a").back() == 1);
    EXPECT_EQ(splitter.WordEnds(" 1\n'").back(), 4u) << EnumWords<Splitting>::kWords[i];
  }
}

TEST(SplitterTest, KnowsWhatLiesInOneWord) {
  const Splitter splitter(Splitting::kGpt2);
  EXPECT_TRUE(splitter.IsInOneWord("ab cd", 0, 2));
  EXPECT_TRUE(splitter.IsInOneWord("ab cd", 2, 5));
  EXPECT_FALSE(splitter.IsInOneWord("ab cd", 1, 3));
}

TEST(SplitterTest, CharactersShareClasses) {
  EXPECT_EQ(ClassOf('a'), 'a');
  EXPECT_EQ(ClassOf(0x7F), 0x7F);
  EXPECT_EQ(ClassOf(0xE9), ClassOf(0xEA));  // Letters.
  EXPECT_NE(ClassOf(0xE9), ClassOf(0xD7));  // A letter and a symbol.
  EXPECT_TRUE(IsLetterClass(ClassOf(0x4E00)));
  EXPECT_TRUE(IsMarkClass(ClassOf(0x301)));
  EXPECT_FALSE(IsLetterClass('1') || IsMarkClass('a'));
}

}  // namespace
}  // namespace gguf
