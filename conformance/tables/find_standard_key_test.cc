// Tests that the columns of standard_keys.tsv are consistent.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/find_standard_key.h"

#include "conformance/tables/architectures.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(FindStandardKeyTest, EachRowIsFoundByItsKey) {
  for (const StandardKey& row : kStandardKeys) {
    EXPECT_EQ(FindStandardKey(row.key, ""), &row) << row.key;
  }
}

TEST(FindStandardKeyTest, OnlyACurrentKeyHasNoSuccessor) {
  for (const StandardKey& row : kStandardKeys) {
    const absl::string_view successor = row.successor;
    EXPECT_EQ(successor.empty(), row.status == KeyStatus::kCurrent) << row.key;
    if (successor.empty()) continue;
    // A literal architecture name stands for {arch}.
    EXPECT_NE(FindStandardKey(successor, successor.substr(0, successor.find('.'))), nullptr)
        << row.key << ": there is no key " << successor;
  }
}

TEST(FindStandardKeyTest, OnlySomeFormatsAndReadingsHaveLists) {
  for (const StandardKey& row : kStandardKeys) {
    EXPECT_EQ(row.values.size > 0, row.format == ValueFormat::kSpecified ||
                                       row.format == ValueFormat::kAllowed ||
                                       row.format == ValueFormat::kLoaded)
        << row.key;
    EXPECT_EQ(row.tokenizers.size > 0, row.reading == Reading::kTokenizers) << row.key;
    EXPECT_EQ(row.loader == 0, row.reading == Reading::kNever) << row.key;
  }
}

TEST(FindStandardKeyTest, AnArchitectureReadsEachKeyOfModels) {
  for (const StandardKey& row : kStandardKeys) {
    bool is_read = false;
    for (uint16_t a = 0; a < kArchitectures; ++a) {
      is_read |= kStandardKeys.Holds(row, a);
    }
    EXPECT_TRUE(is_read || row.reading != Reading::kModel) << row.key;
  }
}

}  // namespace
}  // namespace gguf
