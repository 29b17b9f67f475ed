// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/build.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(BuildTest, TextsAndNumbersAreInverse) {
  for (const char* text :
       {"-", "b1", "b7990", "b999999999", "v0.0.0", "v0.5.0", "v1.2.3", "v999.999.999"}) {
    const std::optional<int32_t> build = ParseBuild(text);
    ASSERT_TRUE(build) << text;
    EXPECT_EQ(BuildText(*build), text);
    EXPECT_EQ(IsRelease(*build), text[0] == 'v') << text;
  }
}

TEST(BuildTest, LaterVersionsAreGreater) {
  const char* const rising[] = {"-",      "b1",     "b9999",   "b10000",
                                "v0.4.0", "v0.4.1", "v0.10.0", "v1.0.0"};
  for (size_t i = 1; i < std::size(rising); ++i) {
    EXPECT_LT(*ParseBuild(rising[i - 1]), *ParseBuild(rising[i])) << rising[i];
  }
}

TEST(BuildTest, OtherTextsAreNoVersion) {
  for (const char* text : {"", "b", "b0", "b01", "b-1", "b+1", "b1 ", "b1000000000", "B1", "1", "v",
                           "v1", "v1.2", "v1.2.3.4", "v1.2.1000", "v1..3", "v01.2.3", "--"}) {
    EXPECT_FALSE(ParseBuild(text)) << text;
  }
}

}  // namespace
}  // namespace gguf
