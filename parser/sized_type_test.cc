// Tests of types of which only the size is known.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/foreign_type.h"
#include "parser/parse.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;

std::optional<uint64_t> Value(absl::string_view text, uint64_t elements) {
  std::string error;
  const auto value = EvaluateSize(text, elements, &error);
  EXPECT_EQ(error, "") << text;
  return value;
}

std::string ErrorIn(absl::string_view text) {
  std::string error;
  EXPECT_EQ(EvaluateSize(text, 1, &error), std::nullopt) << text;
  return error;
}

TEST(SizeExpressionTest, Values) {
  EXPECT_EQ(Value("elements", 7), 7u);
  EXPECT_EQ(Value("elements / 32 * 20 + 64", 96), 124u);
  EXPECT_EQ(Value(" elements/32*20+64 ", 95), 104u);  // Rounds down.
  EXPECT_EQ(Value("2 + 3 * elements", 4), 14u);
  EXPECT_EQ(Value("(2 + 3) * elements", 4), 20u);
  EXPECT_EQ(Value("((elements + 31) / 32) * 20", 33), 40u);
  EXPECT_EQ(Value("elements / 2 / 3", 12), 2u);
  EXPECT_EQ(Value("18446744073709551615", 0), ~uint64_t{0});
}

TEST(SizeExpressionTest, NothingWraps) {
  constexpr uint64_t kMost = ~uint64_t{0};
  EXPECT_EQ(Value("elements + 1", kMost), std::nullopt);
  EXPECT_EQ(Value("1 + elements", kMost), std::nullopt);
  EXPECT_EQ(Value("elements * 2", kMost / 2), kMost - 1);
  EXPECT_EQ(Value("elements * 2", kMost / 2 + 1), std::nullopt);
  EXPECT_EQ(Value("elements * 2 / 2 + 0 * 3", kMost), std::nullopt);
}

TEST(SizeExpressionTest, ErrorsSayWhatWasExpected) {
  const std::string value = "elements, or a number below 2^64";
  const std::string divisor = "a number from 1 to 2^64 - 1 after /";
  EXPECT_EQ(ErrorIn(""), value + " at the end");
  EXPECT_EQ(ErrorIn("elements +"), value + " at the end");
  EXPECT_EQ(ErrorIn("rows * 2"), value + ", not \"rows * 2\"");
  EXPECT_EQ(ErrorIn("18446744073709551616"), value + ", not \"18446744073709551616\"");
  EXPECT_EQ(ErrorIn("elements - 2"), "+, * or /, not \"- 2\"");
  EXPECT_EQ(ErrorIn("elements 2"), "+, * or /, not \"2\"");
  EXPECT_EQ(ErrorIn("elements * 1.5"), "+, * or /, not \".5\"");
  EXPECT_EQ(ErrorIn("(elements"), "a closing parenthesis at the end");
  EXPECT_EQ(ErrorIn("elements)"), "+, * or /, not \")\"");
  EXPECT_EQ(ErrorIn("2 / 0"), divisor + ", not \"0\"");
  EXPECT_EQ(ErrorIn("2 / elements"), divisor + ", not \"elements\"");
  EXPECT_EQ(ErrorIn("(rows) + (columns)"), value + ", not \"rows) + (columns)\"");
  EXPECT_EQ(ErrorIn(std::string(201, '(')), "at most 200 characters");
}

TEST(SizedTypeTest, ForeignTypesAreInTheOrderOfTheirIds) {
  ASSERT_FALSE(ForeignTypes().empty());
  uint64_t next = 0;
  for (const SizedType& type : ForeignTypes()) {
    EXPECT_GE(type.id, next);
    EXPECT_NE(type.program, "") << type.id;
    EXPECT_TRUE(!type.size.empty() || (type.blocks.elements == 0) == (type.blocks.bytes == 0))
        << type.id;
    std::string error;
    if (!type.size.empty()) EvaluateSize(type.size, 256, &error);
    EXPECT_EQ(error, "") << type.id;
    next = type.id;
  }
}

TEST(SizedTypeTest, FindsTheTypesOfAnId) {
  ASSERT_EQ(ForeignTypesOf(144).size(), 1u);
  EXPECT_EQ(ForeignTypesOf(144)[0].name, "IQ4_KS");
  ASSERT_EQ(ForeignTypesOf(46).size(), 3u);
  EXPECT_EQ(ForeignTypesOf(46)[0].name, "TQ4_1S");
  EXPECT_TRUE(ForeignTypesOf(0).empty());
  EXPECT_TRUE(ForeignTypesOf(~uint32_t{0}).empty());
}

TEST(SizedTypeTest, SizesOfTensors) {
  const SizedType rows = {1000, "ROWS", "x", {256, 136, 4}, ""};
  const SizedType expression = {1000, "TREE", "", {1, 0}, "elements * 20 / 32 + 64"};
  const SizedType unknown = {1000, "", "x", {}, ""};
  const uint64_t huge = uint64_t{1} << 62;
  const struct {
    const SizedType* type;
    std::vector<uint64_t> dims;
    std::optional<uint64_t> bytes;
  } kCases[] = {
      {&rows, {256, 2}, 280},
      {&rows, {512, 2, 3}, 6 * 276},
      {&rows, {255, 2}, std::nullopt},
      {&rows, {}, std::nullopt},
      {&rows, {256, 0}, 0},
      {&rows, {0, 2}, 0},
      {&expression, {33, 2}, 105},
      {&expression, {}, 64},
      {&expression, {huge, 2}, std::nullopt},
      {&expression, {huge}, std::nullopt},
      {&unknown, {256}, std::nullopt},
      {nullptr, {256}, std::nullopt},
  };
  for (const auto& c : kCases) {
    TensorInfo tensor;
    tensor.type.value = 1000;
    tensor.sized = c.type;
    tensor.n_dims.value = c.dims.size();
    std::copy(c.dims.begin(), c.dims.end(), tensor.dims.begin());
    EXPECT_EQ(ByteSize(tensor, 32), c.bytes) << tensor.TypeName() << " " << tensor.ShapeText();
  }
}

TEST(SizedTypeTest, OfPartOfATableThoseThatNeedNoMeasuringAreKnown) {
  auto own = std::make_shared<OwnTypes>();
  own->by_id = {{4711, {4711, "Q9_X", "", {32, 20}, ""}}};
  Limits limits;
  limits.own_types = std::move(own);
  const auto types_in = [&](absl::string_view bytes) {
    Diagnostics unused(1);
    std::vector<std::string> names;
    for (const TensorInfo& tensor : Parse(AsBytes(bytes), limits, &unused).tensors) {
      names.push_back(tensor.TypeName());
    }
    return names;
  };
  // 46 is one of several programs' types.
  const std::string bytes = GgufBuilder()
                                .Tensor("a", {32}, 4711, 0)
                                .Tensor("b", {256}, 144, 32)
                                .Tensor("c", {256}, 46, 192)
                                .Tensor("d", {8}, 0, 352)
                                .Build();
  EXPECT_THAT(types_in(bytes), ElementsAre("Q9_X", "IQ4_KS", "TQ4_1S", "F32"));
  const absl::string_view part = absl::string_view(bytes).substr(0, bytes.rfind('d') + 1);
  EXPECT_THAT(types_in(part), ElementsAre("Q9_X", "IQ4_KS", "46"));
}

}  // namespace
}  // namespace gguf
