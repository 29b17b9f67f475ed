// Checks the corpus itself: lint has no complaints, and the manifest is
// current.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/lint.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(LintTest, TheCorpusIsClean) { EXPECT_THAT(Lint("corpus/cases"), testing::IsEmpty()); }

}  // namespace
}  // namespace gguf::corpus
