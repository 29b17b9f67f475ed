// Tests a differential target: our parser against a reader with one fault at a
// time.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

#define GGUF_FUZZ_IMPL
#define GGUF_FUZZ_DIFFERENTIAL
#include "gguf_fuzz.h"

namespace {

// The result of the other reader for any file.
int other_result = 0;
std::multimap<std::string, std::string> other_values;
bool may_differ = false;

}  // namespace

extern "C" int gguf_fuzz_read_b(const uint8_t*, size_t, gguf_fuzz_values* values) {
  for (const auto& [name, bytes] : other_values) {
    gguf_fuzz_value(values, name.data(), name.size(), bytes.data(), bytes.size());
  }
  return other_result;
}

extern "C" int gguf_fuzz_may_differ(const uint8_t*, size_t) { return may_differ ? 1 : 0; }

namespace gguf {
namespace {

class DifferentialTest : public testing::Test {
 protected:
  DifferentialTest() {
    GgufBuilder b;
    b.String("k", "text").U32("n", 7).Tensor("w", {32, 2}, 8, 64);
    file_ = b.Build();
    other_result = 0;
    may_differ = false;
    other_values = {
        {"kv[k].type", Bytes({8, 0, 0, 0})},
        {"kv[k].value", "text"},
        {"kv[n].type", Bytes({4, 0, 0, 0})},
        {"kv[n].value", Bytes({7, 0, 0, 0})},
        {"tensor[w].dims", Bytes({32, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0})},
        {"tensor[w].offset", Bytes({64, 0, 0, 0, 0, 0, 0, 0})},
        {"tensor[w].type", Bytes({8, 0, 0, 0})},
    };
  }

  static std::string Bytes(std::initializer_list<char> bytes) { return std::string(bytes); }

  int Run() const {
    return gguf_fuzz_read(reinterpret_cast<const uint8_t*>(file_.data()), file_.size());
  }

  std::string file_;
};

TEST_F(DifferentialTest, TheSameValuesAreNoDifference) { EXPECT_EQ(Run(), 0); }

TEST_F(DifferentialTest, BothMayReject) {
  file_ = "GGUF";
  other_result = 1;
  EXPECT_EQ(Run(), 1);
}

TEST_F(DifferentialTest, ValuesOfARejectedFileAreNotCompared) {
  file_ = "GGUF";
  other_result = 1;
  other_values = {{"kv[x].type", "?"}};
  EXPECT_EQ(Run(), 1);
}

TEST_F(DifferentialTest, OneThatRejectsIsADifference) {
  other_result = 1;
  EXPECT_DEATH(Run(), "a returned 0, b returned 1");
}

TEST_F(DifferentialTest, AnotherValueIsADifferenceWithItsName) {
  other_values.find("kv[n].value")->second = Bytes({8, 0, 0, 0});
  EXPECT_DEATH(Run(),
               "only a: kv.n..value = 07000000\n"
               "  only b: kv.n..value = 08000000\n");
}

TEST_F(DifferentialTest, AMissingValueIsADifference) {
  other_values.erase("tensor[w].offset");
  EXPECT_DEATH(Run(), "only a: tensor.w..offset = 4000000000000000\n");
}

TEST_F(DifferentialTest, AValueTooOftenIsADifference) {
  other_values.emplace("kv[k].value", "text");
  EXPECT_DEATH(Run(), "only b: kv.k..value = 74657874\n");
}

TEST_F(DifferentialTest, AKnownDifferenceIsNone) {
  other_result = 1;
  may_differ = true;
  EXPECT_EQ(Run(), 1);
}

}  // namespace
}  // namespace gguf
