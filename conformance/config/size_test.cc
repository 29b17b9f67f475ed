// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/size.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(SizeTest, NumbersWithAUnit) {
  EXPECT_EQ(ParseSize("0"), 0u);
  EXPECT_EQ(ParseSize("64K"), 65536u);
  EXPECT_EQ(ParseSize("2M"), 2u << 20);
  EXPECT_EQ(ParseSize("3G"), uint64_t{3} << 30);
  EXPECT_EQ(ParseSize("18446744073709551615"), UINT64_MAX);
}

TEST(SizeTest, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "K", "-1", "+1", " 1", "1 ", "1 K", "1KK", "1k", "1.5G", "0x10",
        "18446744073709551616", "17179869184G"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace gguf
