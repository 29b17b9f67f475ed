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
  const std::string text = "GGUF\3\2\1";
  for (const size_t at :
       {size_t{0}, size_t{1}, size_t{4089}, size_t{4093}, size_t{4096}, size_t{8993}}) {
    std::string bytes(9000, 'U');
    EXPECT_EQ(FindText(AsBytes(bytes), text), bytes.size());
    bytes.replace(at, text.size(), text);
    EXPECT_EQ(FindText(AsBytes(bytes), text), at);
    bytes.resize(at + text.size() - 1);
    EXPECT_EQ(FindText(AsBytes(bytes), text), bytes.size());
  }
  EXPECT_EQ(FindText(AsBytes("UFUFGGUFGGUF\3\2\1"), text), 8u);
}

}  // namespace
}  // namespace gguf
