// SPDX-License-Identifier: Apache-2.0

#include "parser/core/hex.h"

#include "absl/strings/escaping.h"
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

}  // namespace
}  // namespace gguf
