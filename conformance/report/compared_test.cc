// The table of comparisons.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/compared.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ComparedTensor Tensor(const char* name, ComparedTensor::Result result,
                      double rmse) {
  ComparedTensor tensor;
  tensor.name = name;
  tensor.result = result;
  tensor.type = "Q4_K";
  tensor.base_type = "F16";
  tensor.rmse = rmse;
  tensor.bound = 0.1;
  return tensor;
}

TEST(ComparedTest, FailuresComeFirstThenTheLargestErrors) {
  const std::vector<ComparedTensor> tensors = {
      Tensor("small", ComparedTensor::kPass, 0.01),
      Tensor("large", ComparedTensor::kPass, 0.09),
      Tensor("none", ComparedTensor::kNotCompared, 0),
      Tensor("block\n", ComparedTensor::kBlock, 0.05),
      Tensor("other", ComparedTensor::kError, 1.4)};
  EXPECT_EQ(ComparedSummary(tensors),
            "5 tensors: 1 not compared, 2 pass, 1 error, 1 block");
  EXPECT_THAT(
      ComparedTable(tensors, 10),
      ElementsAre(HasSubstr("rmse"), HasSubstr("other"), HasSubstr("block\\n"),
                  HasSubstr("large"), HasSubstr("small")));
  EXPECT_THAT(ComparedTable(tensors, 2), SizeIs(3));
  EXPECT_THAT(ComparedTable({tensors[2]}, 2), IsEmpty());
}

TEST(ComparedTest, ErrorsThatAreNotFiniteAreTheWorst) {
  std::vector<ComparedTensor> tensors = {
      Tensor("a", ComparedTensor::kError, 5),
      Tensor("b", ComparedTensor::kError,
             std::numeric_limits<double>::quiet_NaN())};
  EXPECT_THAT(ComparedTable(tensors, 1)[1], HasSubstr("nan"));
}

}  // namespace
}  // namespace gguf
