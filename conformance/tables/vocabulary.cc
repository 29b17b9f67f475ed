// Reads architectures, groups and symbols from their two tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/vocabulary.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/tables/build.h"

namespace gguf {
namespace {

SymbolType TypeOf(const Cell& cell) {
  absl::string_view text = cell.text;
  SymbolType type{};
  type.per_block = absl::ConsumeSuffix(&text, "[i]");
  if (text == "int") {
    type.type = ExprType::kInt;
  } else if (text == "bool") {
    type.type = ExprType::kBool;
  } else if (text == "text" && !type.per_block) {
    type.type = ExprType::kText;
  } else {
    cell.Fail("a symbol is int, bool, int[i], bool[i] or text");
  }
  return type;
}

}  // namespace

Vocabulary::Vocabulary(const Tsv& architectures, const Tsv& symbols) {
  std::map<std::string, const std::vector<Cell>*> rows;
  for (const auto& row : architectures.rows) {
    if (!rows.emplace(row[0].text, &row).second) {
      row[0].Fail(absl::StrCat("duplicate row: ", row[0].text));
    }
  }
  for (const auto& [name, row] : rows) {
    const Cell &groups = (*row)[1], &first = (*row)[2];
    const int number = static_cast<int>(architectures_.size());
    const std::optional<int32_t> build = ParseBuild(first.text);
    if (!build) first.Fail("a build, a release or - is expected");
    architectures_.push_back(name);
    first_builds_.push_back(*build);
    for (const absl::string_view group :
         absl::StrSplit(groups.text, ',', absl::SkipEmpty())) {
      groups_[std::string(group)].insert(number);
    }
  }
  for (const auto& row : symbols.rows) {
    const SymbolType type = TypeOf(row[2]);
    const auto [old, is_new] = symbols_.emplace(row[0].text, type);
    if (!is_new && (old->second.type != type.type ||
                    old->second.per_block != type.per_block)) {
      row[2].Fail("the symbol has another type in an earlier row");
    }
  }
  int id = 0;
  for (auto& [name, type] : symbols_) type.id = id++;
}

std::set<int> Vocabulary::Architectures(const Cell& cell) const {
  std::set<int> all;
  size_t offset = 0;
  for (const absl::string_view item : absl::StrSplit(cell.text, ',')) {
    absl::string_view name = item;
    const bool removed = absl::ConsumePrefix(&name, "-");
    std::set<int> these;
    if (name == "*") {
      for (size_t i = 0; i <= architectures_.size(); ++i) these.insert(i);
    } else if (absl::ConsumePrefix(&name, "@")) {
      const auto group = groups_.find(std::string(name));
      if (group == groups_.end()) {
        cell.Fail(absl::StrCat("unknown group ", name), offset);
      }
      these = group->second;
    } else {
      const auto found =
          std::lower_bound(architectures_.begin(), architectures_.end(), name);
      if (found == architectures_.end() || *found != name) {
        cell.Fail(absl::StrCat("unknown architecture '", name, "'"), offset);
      }
      these.insert(static_cast<int>(found - architectures_.begin()));
    }
    for (const int one : these) {
      if (removed ? all.erase(one) == 0 : !all.insert(one).second) {
        cell.Fail(absl::StrCat("'", item, "' changes nothing"), offset);
      }
    }
    offset += item.size() + 1;
  }
  if (all.empty()) cell.Fail("no architecture is left");
  return all;
}

std::string EnumName(const std::string& name) {
  std::string out = "k";
  bool upper = true;
  for (const char c : name) {
    if (!absl::ascii_isalnum(c)) {
      upper = true;
      continue;
    }
    out += upper ? absl::ascii_toupper(c) : c;
    upper = false;
  }
  return out;
}

}  // namespace gguf
