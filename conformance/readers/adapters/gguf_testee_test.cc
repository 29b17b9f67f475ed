// The helper in C, compiled as C++.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/adapters/gguf_testee.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace {

constexpr int kU32 = 4, kString = 8, kArray = 9;

TEST(GgufTesteeTest, AnElementWithoutAFixedSizeOmitsTheLine) {
  const uint32_t seven = 7;
  testing::internal::CaptureStdout();
  for (const int type : {kU32, kString, kArray, 13, -1}) {
    adapter_key("k", ADAPTER_TEXT);
    adapter_type(kU32);
    adapter_element(type, &seven);
  }
  adapter_key("k", ADAPTER_TEXT);
  adapter_array(kU32, 2);
  adapter_elements(kString, 2, &seven);
  adapter_accept();
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "@kv 6b u32 7\n@accept\n");
}

}  // namespace
