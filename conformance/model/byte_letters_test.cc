// Tests the letters of bytes against those of GPT-2.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/byte_letters.h"

#include "conformance/base/text.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ByteLettersTest, AreThoseOfGpt2) {
  EXPECT_EQ(ByteLetter('a'), "a");
  EXPECT_EQ(ByteLetter(0), "\u0100");
  EXPECT_EQ(ByteLetter('\n'), "\u010A");
  EXPECT_EQ(ByteLetter(' '), kByteLevelSpace);
  EXPECT_EQ(ByteLetter(0x7F), "\u0121");
  EXPECT_EQ(ByteLetter(0xA0), "\u0142");
  EXPECT_EQ(ByteLetter(0xAD), "\u0143");
  EXPECT_EQ(ByteLetter(0xE9), "\u00E9");
}

TEST(ByteLettersTest, StandForOneByteEach) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string letter = ByteLetter(byte);
    size_t at = 0;
    EXPECT_EQ(ByteOfLetter(NextCodePoint(letter, &at)), byte);
    EXPECT_EQ(at, letter.size());
  }
  for (const uint32_t none : {uint32_t{' '}, uint32_t{0xAD}, uint32_t{0x144}, uint32_t{0x2581}}) {
    EXPECT_EQ(ByteOfLetter(none), -1) << none;
  }
}

}  // namespace
}  // namespace gguf
