// SPDX-License-Identifier: Apache-2.0

#include "parser/core/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

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

}  // namespace
}  // namespace gguf
