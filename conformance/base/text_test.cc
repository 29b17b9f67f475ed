// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(BytesFromHexTest, InvertsEveryByteInEitherCase) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(static_cast<char>(byte));
  }
  const std::string hex = absl::BytesToHexString(bytes);
  EXPECT_EQ(BytesFromHex(hex), bytes);
  EXPECT_EQ(BytesFromHex("aFfA"), std::string("\xaf\xfa"));
  EXPECT_EQ(BytesFromHex(""), "");
}

TEST(BytesFromHexTest, RejectsOtherText) {
  for (const char* text : {"a", "abc", "0x", "g0", "0G", "-1", " 1", "/0", ":0", "@0", "`0"}) {
    EXPECT_EQ(BytesFromHex(text), std::nullopt) << text;
  }
}

TEST(Utf8Test, TheFirstBadByteIsFound) {
  const struct {
    std::string text;
    size_t valid;
  } kCases[] = {
      {"", 0},
      {"plain ascii, more than eight bytes", 34},
      {"\xC3\xA9", 2},
      {"\xE2\x82\xAC", 3},
      {"\xF0\x9F\x98\x80", 4},
      {"\xF4\x8F\xBF\xBF", 4},    // U+10FFFF, the last one.
      {"ab\xF4\x90\x80\x80", 2},  // U+110000.
      {"ab\xC0\x80", 2},          // Overlong NUL.
      {"ab\xE0\x9F\xBF", 2},      // Overlong.
      {"ab\xED\xA0\x80", 2},      // A surrogate.
      {"ab\xE2\x82", 2},          // Cut off.
      {"ab\x80", 2},              // A continuation without a lead.
      {"ab\xFF", 2},
      {"12345678\xC3", 8},
      {"12345678\xC3\xA9", 10},
      {"12345678901\xFF", 11},
      {"1234567\xFF"
       "8901",
       7},
      {"\xC3\xA9"
       "123456789",
       11},
      {"\xFF"
       "123456789",
       0},
      {std::string("a\0b", 3), 3},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ValidUtf8Prefix(c.text), c.valid) << c.text;
  }
}

TEST(Utf8Test, CodePointsAreDecoded) {
  size_t at = 0;
  EXPECT_EQ(NextCodePoint("\xE2\x82\xACx", &at), 0x20ACu);
  EXPECT_EQ(at, 3u);
  EXPECT_EQ(NextCodePoint("\xE2\x82\xACx", &at), uint32_t{'x'});
  at = 0;
  EXPECT_EQ(NextCodePoint("\xE2\x82", &at), kBadCodePoint);
  EXPECT_EQ(at, 1u);
}

TEST(Utf8Test, ControlsAndInvisibleCharactersAreKnown) {
  for (uint32_t c : {0x00u, 0x1Bu, 0x7Fu, 0x85u, 0x9Bu}) {
    EXPECT_TRUE(IsControl(c)) << c;
  }
  for (uint32_t c : {0x200Bu, 0x202Eu, 0x2066u, 0x2028u, 0xFEFFu, 0xE0041u}) {
    EXPECT_TRUE(IsInvisible(c)) << c;
  }
  for (uint32_t c : {0x034Fu, 0x115Fu, 0x1160u, 0x180Bu, 0x180Eu, 0x3164u, 0xFE00u, 0xFE0Fu,
                     0xFFF9u, 0xFFFBu, 0xFFA0u, 0xE0100u, 0xE01EFu}) {
    EXPECT_TRUE(IsInvisible(c)) << c;
  }
  for (uint32_t c : {0x20u, 0x7Eu, 0xA0u, 0x20ACu, 0x1F600u, 0x180Fu, 0xFE10u, 0xFFFCu, 0xE01F0u}) {
    EXPECT_FALSE(IsControl(c) || IsInvisible(c)) << c;
  }
}

TEST(QuoteTest, TerminalControlsAreEscaped) {
  EXPECT_EQ(Quote("blk.0.attn_q.weight"), "\"blk.0.attn_q.weight\"");
  EXPECT_EQ(Quote("\x1b[31mred"), "\"\\x1b[31mred\"");
  EXPECT_EQ(Quote("a\nb\tc\rd"), "\"a\\nb\\tc\\rd\"");
  EXPECT_EQ(Quote("a\xE2\x80\xAEz"), "\"a\\u{202e}z\"");
  EXPECT_EQ(Quote("\xC2\x9B"), "\"\\xc2\\x9b\"");
  EXPECT_EQ(Quote("\xFF\xFE"), "\"\\xff\\xfe\"");
  EXPECT_EQ(Quote("say \"hi\" \\o/"), "\"say \\\"hi\\\" \\\\o/\"");
  EXPECT_EQ(Quote(absl::string_view("a\0b", 3)), "\"a\\x00b\"");
  EXPECT_EQ(Quote("gr\xC3\xBC\xC3\x9F"), "\"gr\xC3\xBC\xC3\x9F\"");
}

TEST(QuoteTest, CommandsOfCiSystemsAreEscaped) {
  EXPECT_EQ(Quote("a##[error]b"), "\"a#\\x23[error]b\"");
  EXPECT_EQ(Quote("##VSO[task.x]"), "\"#\\x23VSO[task.x]\"");
  EXPECT_EQ(Quote("a # b, [c]"), "\"a # b, [c]\"");
  EXPECT_EQ(Visible(" ::error::a::b"), " \\x3a:error::a::b");
  EXPECT_EQ(VisibleLines("std::x\n ::warning::"), "std::x\n \\x3a:warning::");
}

TEST(QuoteTest, LongTextIsCutAtACharacter) {
  EXPECT_EQ(Escape("abcdef", 6), "abcdef");
  EXPECT_EQ(Escape("abcdefg", 6), "abcdef... (7 bytes)");
  EXPECT_EQ(Escape("abcde\xC3\xBC", 6), "abcde... (7 bytes)");
  EXPECT_EQ(Escape(std::string(1000000, 'x'), 3), "xxx... (1000000 bytes)");
}

TEST(QuoteTest, VisibleTextIsEscapedButForItsOwnEscapes) {
  EXPECT_EQ(Visible("say \"hi\" \\o/\n\x1b\xE2\x80\xAE\xFF"),
            "say \"hi\" \\o/\\n\\x1b\\u{202e}\\xff");
  EXPECT_EQ(VisibleLines("a\n\tb\r\n"), "a\n\tb\\r\n");
  EXPECT_EQ(Visible(std::string(1000, 'x')), std::string(1000, 'x'));
}

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
  EXPECT_EQ(ClosestWord("YaRN", {"linear", "yarn"}), "yarn");
  EXPECT_EQ(ClosestWord("test", {"bert", "t5"}), "");  // Half of the word is another.
  EXPECT_EQ(DidYouMean("lama", {"llama", "gpt2"}), "; did you mean llama?");
  EXPECT_EQ(DidYouMean("llama", {"llama", "gpt2"}), "");
  EXPECT_EQ(DidYouMean("mpt", {"llama", "gpt2"}), "");
}

}  // namespace

}  // namespace gguf
