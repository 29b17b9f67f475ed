// SPDX-License-Identifier: Apache-2.0

#include "kernels/iq_codebooks.h"

#include "gtest/gtest.h"
#include "xxhash.h"

namespace gguf {
namespace {

template <class Table>
uint64_t Hash(const Table& table) {
  return XXH3_64bits(&table, sizeof table);
}

// The hashes are of ggml's tables: consecutive entries, each from its first
// weight.  IQ2 and IQ3 values are unsigned there, and below 128.
TEST(IqCodebooksTest, TheBooksAreGgmls) {
  CodeBook<2048, 8> ones = kIq1Book;
  for (auto& entry : ones.entry) {
    for (int8_t& weight : entry) weight /= 8;
  }
  EXPECT_EQ(Hash(ones), 0x273c860b28bbb277u);
  EXPECT_EQ(Hash(kIq2XxsBook), 0x3de7d625dc4b1f07u);
  EXPECT_EQ(Hash(kIq2XsBook), 0x79a31619c2aa4027u);
  EXPECT_EQ(Hash(kIq2SBook), 0xc5212534caf3b5bfu);
  EXPECT_EQ(Hash(kIq3XxsBook), 0xcb32234e3a15f5a7u);
  EXPECT_EQ(Hash(kIq3SBook), 0xcd5ca92a3ff62aa6u);
}

TEST(IqCodebooksTest, TheValuesAndSignsAreGgmls) {
  EXPECT_EQ(Hash(kIq4Values), 0x70e17e50380bd099u);
  uint8_t signs[128];
  for (int i = 0; i < 128; ++i) signs[i] = EvenSigns(i);
  EXPECT_EQ(Hash(signs), 0xc4b054afe9602361u);
}

TEST(IqCodebooksTest, EvenSignsAddsTheEighthBit) {
  EXPECT_EQ(EvenSigns(0), 0);
  EXPECT_EQ(EvenSigns(1), 0x81);
  EXPECT_EQ(EvenSigns(3), 3);
  EXPECT_EQ(EvenSigns(127), 255);
}

}  // namespace
}  // namespace gguf
