// The corpus itself: lint has nothing to say, and the manifest is up to date.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/lint.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(LintTest, TheCorpusIsClean) {
  EXPECT_THAT(Lint("corpus/cases"), testing::IsEmpty());
}

}  // namespace
}  // namespace gguf::corpus
