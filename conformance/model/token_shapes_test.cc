// Tests the decoding of merges.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/token_shapes.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(TokenShapesTest, DecodesTheLettersOfByteLevelBpe) {
  EXPECT_EQ(TextOfMerge("\xC4\xA0t he"), " the");
  EXPECT_EQ(TextOfMerge("a b c"), std::nullopt);            // A space is no letter.
  EXPECT_EQ(TextOfMerge("\xC4\x8A \xC4\x8A"), "\n\n");      // U+010A.
  EXPECT_EQ(TextOfMerge("\xC3\x83 \xC2\xA9"), "\xC3\xA9");  // Two bytes of one character.
  EXPECT_EQ(TextOfMerge("\xC5\x83 a"),
            "\xAD"
            "a");  // U+0143, the last letter.
  EXPECT_EQ(TextOfMerge("\xC5\x84 a"), std::nullopt);
  EXPECT_EQ(TextOfMerge("\xE2\x96\x81 a"), std::nullopt);  // The space of other vocabularies.
  EXPECT_EQ(TextOfMerge("\xFF a"), std::nullopt);
}

}  // namespace
}  // namespace gguf
