// Looks up a key among the patterns.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/find_standard_key.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf {
namespace {

// Twice the length of any standardized key.
constexpr size_t kLongestKey = 256;
constexpr absl::string_view kArchitecture = "{arch}";

const StandardKey* FindPattern(absl::string_view pattern) {
  static const auto& rows = *[] {
    auto* all = new absl::flat_hash_map<absl::string_view, const StandardKey*>;
    for (const StandardKey& row : kStandardKeys) all->emplace(row.key, &row);
    return all;
  }();
  const auto found = rows.find(pattern);
  return found == rows.end() ? nullptr : found->second;
}

std::string WithNumbers(absl::string_view key) {
  std::string pattern;
  for (const absl::string_view segment : absl::StrSplit(key, '.')) {
    absl::StrAppend(&pattern, pattern.empty() ? "" : ".", IsNumber(segment) ? "{n}" : segment);
  }
  return pattern;
}

}  // namespace

bool IsNumber(absl::string_view segment) {
  return !segment.empty() && std::all_of(segment.begin(), segment.end(), absl::ascii_isdigit);
}

const StandardKey* FindStandardKey(absl::string_view key, absl::string_view architecture) {
  if (key.size() > kLongestKey) return nullptr;
  if (const StandardKey* row = FindPattern(key)) return row;
  absl::string_view rest = key;
  if (!architecture.empty() && absl::ConsumePrefix(&rest, architecture) &&
      absl::StartsWith(rest, ".")) {
    return FindPattern(absl::StrCat(kArchitecture, rest));
  }
  if (const StandardKey* row = FindPattern(WithNumbers(key))) return row;
  return FindPattern(absl::StrCat(key.substr(0, key.rfind('.')), ".{any}"));
}

std::string WithArchitecture(absl::string_view pattern, absl::string_view architecture) {
  absl::string_view rest = pattern;
  if (!absl::ConsumePrefix(&rest, kArchitecture)) return std::string(pattern);
  return absl::StrCat(architecture, rest);
}

}  // namespace gguf
