// The table of comparisons.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/tensor_tables.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

ComparedTensor Tensor(const char* name, ComparedTensor::Result result, double rmse) {
  ComparedTensor tensor;
  tensor.name = name;
  tensor.result = result;
  tensor.type = "Q4_K";
  tensor.origin_type = "F16";
  tensor.rmse = rmse;
  tensor.bound = 0.1;
  return tensor;
}

TEST(ComparedTest, FailuresComeFirstThenTheLargestErrors) {
  const std::vector<ComparedTensor> tensors = {Tensor("small", ComparedTensor::kPass, 0.01),
                                               Tensor("large", ComparedTensor::kPass, 0.09),
                                               Tensor("none", ComparedTensor::kNotCompared, 0),
                                               Tensor("block\n", ComparedTensor::kBlock, 0.05),
                                               Tensor("other", ComparedTensor::kError, 1.4)};
  EXPECT_EQ(ComparedSummary(tensors), "5 tensors: 2 pass, 1 error, 1 block, 1 not compared");
  EXPECT_EQ(ComparedSummary({Tensor("a", ComparedTensor::kRequantized, 0.6),
                             Tensor("b", ComparedTensor::kScale, 0.1),
                             Tensor("c", ComparedTensor::kUneven, 0.1)}),
            "3 tensors: 1 scale, 1 requantized, 1 uneven");
  EXPECT_THAT(ComparedTable(tensors, 10, 80),
              ElementsAre(HasSubstr("rmse"), HasSubstr("other"), HasSubstr("block\\n"),
                          HasSubstr("large"), HasSubstr("small")));
  EXPECT_THAT(ComparedTable(tensors, 2, 80), SizeIs(3));
  EXPECT_THAT(ComparedTable({tensors[2]}, 2, 80), IsEmpty());
}

TEST(ComparedTest, ErrorsThatAreNotFiniteAreTheWorst) {
  std::vector<ComparedTensor> tensors = {
      Tensor("a", ComparedTensor::kError, 5),
      Tensor("b", ComparedTensor::kError, std::numeric_limits<double>::quiet_NaN())};
  EXPECT_THAT(ComparedTable(tensors, 1, 80)[1], HasSubstr("nan"));
}

TEST(ComparedTest, InfiniteExcessesAreInOrderOfTheErrorThenOfTheFile) {
  std::vector<ComparedTensor> tensors;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    tensors.push_back(Tensor(name, ComparedTensor::kError, 0.1));
    tensors.back().bound = 0;
  }
  tensors[4].rmse = 1.4;
  tensors[5].rmse = std::numeric_limits<double>::quiet_NaN();
  tensors[6].bound = 0.01;  // A finite excess.
  // The base is zero.
  tensors[2].rmse = 0;
  tensors[2].worst_block = std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      ComparedTable(tensors, 10, 80),
      ElementsAre(StartsWith("tensor"), StartsWith("f "), StartsWith("e "), StartsWith("a "),
                  StartsWith("b "), StartsWith("d "), StartsWith("c "), StartsWith("g ")));
}

TEST(ComparedTest, TheTableFitsTheTerminal) {
  std::vector<ComparedTensor> tensors = {
      Tensor("blk.31.attn_output.weight", ComparedTensor::kBlock, 0.0123456),
      Tensor("a.tower.of.many.layers.with_a_long_name.17.mlp.fc1.weight", ComparedTensor::kPass,
             0.00001234567)};
  tensors[0].cosine = 0.99312;
  EXPECT_THAT(
      ComparedTable(tensors, 10, 76),
      ElementsAre("tensor                     result  type  of       rmse  bound  cosine  block",
                  "blk.31.attn_output.weight  block   Q4_K  F16    0.0123    0.1   0.993      0",
                  "a.tower....mlp.fc1.weight  pass    Q4_K  F16  1.23e-05    0.1       0      0"));
  EXPECT_THAT(ComparedTable(tensors, 10, 36), ElementsAre("tensor              result      rmse",
                                                          "blk.31...ut.weight  block     0.0123",
                                                          "a.towe...c1.weight  pass    1.23e-05"));
  for (size_t width = 32; width < 200; ++width) {
    for (const std::string& line : ComparedTable(tensors, 10, width)) {
      EXPECT_LE(line.size(), width) << line;
    }
  }
  // No character is cut.
  tensors[0].name = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9";
  EXPECT_THAT(ComparedTable(tensors, 10, 32)[1], StartsWith("\u00e9\u00e9...\u00e9\u00e9\u00e9 "));
}

}  // namespace
}  // namespace gguf
