// The kinds of legacy_tensors.tsv are families of the parser's table.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "conformance/tables/legacy_tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/legacy_format.h"

namespace gguf {
namespace {

TEST(LegacyNamesTest, TensorsAreListedForKnownFamiliesOnly) {
  std::set<std::string> kinds, families, listed;
  for (const LegacyTensorRow& row : kLegacyTensors) {
    for (const absl::string_view kind : absl::StrSplit(row.kinds, ',')) {
      const bool is_rwkv = absl::StartsWith(kind, "rwkv-");  // A version.
      kinds.insert(is_rwkv ? "rwkv" : std::string(kind));
    }
  }
  for (const LegacyFormat& format : LegacyFormats()) {
    for (const LegacyFamily& family : format.families) {
      families.insert(family.name);
      if (family.tensors_listed) listed.insert(family.name);
    }
  }
  EXPECT_THAT(families, testing::IsSupersetOf(kinds));
  EXPECT_THAT(kinds, testing::IsSupersetOf(listed));
}

}  // namespace
}  // namespace gguf
