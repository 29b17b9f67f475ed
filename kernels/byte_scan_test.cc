// SPDX-License-Identifier: Apache-2.0

#include "kernels/byte_scan.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ByteScanTest, ZerosAreCountedFromBothEnds) {
  for (const size_t size : {0, 1, 4095, 4096, 4097, 9000}) {
    const std::string zeros(size, '\0');
    EXPECT_TRUE(IsZero(AsBytes(zeros)));
    EXPECT_EQ(CountLeadingZeros(AsBytes(zeros)), size);
    EXPECT_EQ(CountTrailingZeros(AsBytes(zeros)), size);
    for (const size_t at : {size_t{0}, size / 2, size}) {
      std::string text = zeros;
      text.insert(at, "x");
      EXPECT_FALSE(IsZero(AsBytes(text)));
      EXPECT_EQ(CountLeadingZeros(AsBytes(text)), at);
      EXPECT_EQ(CountTrailingZeros(AsBytes(text)), size - at);
    }
  }
}

TEST(ByteScanTest, ATextIsFoundAtEachPlace) {
  const std::string text = "GGUF\3\2\1, and something else";
  const TextFinder finder(text);
  for (size_t at = 0; at < 200; ++at) {
    std::string bytes(300, 'U');
    EXPECT_EQ(finder.Find(AsBytes(bytes)), bytes.size());
    bytes.replace(at, text.size(), text);
    EXPECT_EQ(finder.Find(AsBytes(bytes)), at);
    EXPECT_EQ(finder.Find(AsBytes(bytes + text)), at);
    bytes.resize(at + text.size() - 1);
    EXPECT_EQ(finder.Find(AsBytes(bytes)), bytes.size());
  }
}

TEST(ByteScanTest, WordsOfTheTextElsewhereAreNotTheText) {
  const std::string text = "GGUFGGUFGGUFGGUFGGUFGGUF\3\2\1";
  const TextFinder finder(text);
  const std::string bytes = "GGUFGGUFGGUF" + text.substr(0, text.size() - 1) + "GG" + text;
  EXPECT_EQ(finder.Find(AsBytes(bytes)), bytes.size() - text.size());
  EXPECT_EQ(finder.Find(AsBytes(bytes.substr(0, bytes.size() - 1))), bytes.size() - 1);
}

}  // namespace
}  // namespace gguf
