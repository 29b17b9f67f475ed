// The kinds of legacy_tensors.tsv are families of the parser's table, and each of their tensors is
// required.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/legacy/legacy_names.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/model/model.h"
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

const LegacyFamily& FamilyOf(absl::string_view kind) {
  const absl::string_view name = absl::StartsWith(kind, "rwkv-") ? "rwkv" : kind;
  for (const LegacyFormat& format : LegacyFormats()) {
    for (const LegacyFamily& family : format.families) {
      if (family.name == name) return family;
    }
  }
  ADD_FAILURE() << "no family " << kind;
  return LegacyFormats()[0].families[0];
}

constexpr uint32_t kBlocks = 2;

// Returns the names of the tensors of a model of two blocks.
std::vector<std::string> NamesOf(absl::string_view kind) {
  std::vector<std::string> names;
  for (const LegacyTensorRow& row : kLegacyTensors) {
    const std::vector<absl::string_view> kinds = absl::StrSplit(row.kinds, ',');
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    if (row.needed == NeededIn::kOptional) continue;
    const uint32_t blocks = absl::StrContains(row.name, "%d") ? kBlocks : 1;
    for (uint32_t i = row.needed == NeededIn::kNotFirst ? 1 : 0; i < blocks; ++i) {
      names.push_back(absl::StrReplaceAll(row.name, {{"%d", absl::StrCat(i)}}));
    }
  }
  return names;
}

// Returns the tensor that such a model lacks if it has only these, or else the first of them that
// it should not have; "" for none.
std::string WrongIn(const LegacyFamily& family, const std::vector<std::string>& names) {
  File file;
  file.legacy.emplace();
  file.legacy->family = &family;
  file.legacy->hparams.resize(family.hparams.size(), {kBlocks, {}});
  for (const std::string& name : names) {
    file.tensors.emplace_back();
    file.tensors.back().index = file.tensors.size() - 1;
    file.tensors.back().name.value = name;
  }
  const Model model(std::move(file));
  const LegacyNames expected(model);
  if (const auto missing = expected.FindMissing()) return *missing;
  for (const std::string& name : names) {
    if (expected.Find(name) == nullptr) return name;
  }
  return "";
}

// Without them, the model is taken for another version of RWKV.
bool TellsTheVersion(absl::string_view name) {
  constexpr absl::string_view kTensors[] = {"blocks.0.att.r_k", "blocks.0.att.time_maa_x",
                                            "blocks.0.att.ln_x.weight", "blocks.0.att.gate.weight"};
  return std::find(std::begin(kTensors), std::end(kTensors), name) != std::end(kTensors);
}

TEST(LegacyNamesTest, EachTensorOfEachKindIsRequired) {
  std::set<std::string> kinds;
  for (const LegacyTensorRow& row : kLegacyTensors) {
    for (const absl::string_view kind : absl::StrSplit(row.kinds, ',')) kinds.emplace(kind);
  }
  for (const std::string& kind : kinds) {
    const LegacyFamily& family = FamilyOf(kind);
    const std::vector<std::string> all = NamesOf(kind);
    EXPECT_EQ(WrongIn(family, all), "") << kind;
    for (const std::string& name : all) {
      std::vector<std::string> others = all;
      others.erase(std::find(others.begin(), others.end(), name));
      const std::string wrong = WrongIn(family, others);
      if (TellsTheVersion(name)) {
        EXPECT_NE(wrong, "") << kind << " without " << name;
      } else {
        EXPECT_EQ(wrong, name) << kind;
      }
    }
  }
}

}  // namespace
}  // namespace gguf
