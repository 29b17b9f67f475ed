// The settings of samplers.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kRanges = {{"number-in-range", "sampling-window-bounded"}};

constexpr uint32_t kI32 = 5, kF32 = 6;

GgufBuilder WithFloat(const char* key, float value) {
  GgufBuilder b = FileOf("llama");
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return b.Key(key, kF32, b.New().U32(bits));
}

GgufBuilder WithInt(const char* key, int32_t value) {
  GgufBuilder b = FileOf("llama");
  return b.Key(key, kI32, b.New().U32(static_cast<uint32_t>(value)));
}

TEST(RangeChecksTest, EndsOfRanges) {
  for (const float value : {0.0f, 0.5f, 1.0f}) {
    EXPECT_THAT(kRanges.In(WithFloat("general.sampling.top_p", value)), IsEmpty());
  }
  EXPECT_THAT(kRanges.MessagesIn(WithFloat("general.sampling.top_p", 1.5f)),
              ElementsAre("kv[general.sampling.top_p].value is 1.5, not 0 to 1"));
  EXPECT_THAT(kRanges.MessagesIn(WithFloat("general.sampling.temp", -3)),
              ElementsAre("kv[general.sampling.temp].value is -3, not at least 0"));
  EXPECT_THAT(kRanges.In(WithFloat("general.sampling.temp", 1e9f)), IsEmpty());
  EXPECT_THAT(kRanges.MessagesIn(WithFloat("general.sampling.temp", NAN)),
              ElementsAre("kv[general.sampling.temp].value is nan, not at least 0"));
  EXPECT_THAT(kRanges.MessagesIn(WithFloat("general.sampling.penalty_repeat", 0)),
              ElementsAre("kv[general.sampling.penalty_repeat].value is 0, not above 0"));
}

TEST(RangeChecksTest, Window) {
  constexpr char kKey[] = "general.sampling.penalty_last_n";
  for (const int32_t tokens : {-1, 0, 64, 16777216}) {
    EXPECT_THAT(kRanges.In(WithInt(kKey, tokens)), IsEmpty()) << tokens;
  }
  EXPECT_THAT(kRanges.In(WithInt(kKey, -2)),
              ElementsAre("warning number-in-range kv[general.sampling.penalty_last_n].value"));
  EXPECT_THAT(
      kRanges.In(WithInt(kKey, 16777217)),
      ElementsAre("error sampling-window-bounded kv[general.sampling.penalty_last_n].value"));
}

}  // namespace
}  // namespace gguf
