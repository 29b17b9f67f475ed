// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/testing/json_schema.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(SchemaCheckerTest, AKeywordThatNobodyChecksIsRefused) {
  EXPECT_THAT(SchemaChecker(nlohmann::json{{"maximum", 1}}).Violations(2),
              testing::ElementsAre(": keyword maximum is not supported"));
}

}  // namespace
}  // namespace gguf
