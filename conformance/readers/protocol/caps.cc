// The table of capabilities and quirks.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/protocol/caps.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "parser/core/quote.h"

namespace gguf::readers {
namespace {

struct CapsRow {
  const char* name;
  bool Caps::*member;
  bool is_quirk;
};

constexpr CapsRow kRows[] = {
    {"kv", &Caps::kv, false},
    {"tensors", &Caps::tensors, false},
    {"data", &Caps::data, false},
    {"deq", &Caps::deq, false},
    {"models", &Caps::models, false},
    {"legacy", &Caps::legacy, false},
    {"untyped", &Caps::untyped, true},
    {"unordered", &Caps::unordered, true},
    {"nan-canon", &Caps::nan_canon, true},
    {"lossy-utf8", &Caps::lossy_utf8, true},
    {"meta-only", &Caps::meta_only, true},
};

std::vector<std::string> Names(const Caps& caps, bool quirks) {
  std::vector<std::string> names;
  for (const CapsRow& row : kRows) {
    if (row.is_quirk == quirks && caps.*row.member) names.push_back(row.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> Caps::CapNames() const { return Names(*this, false); }
std::vector<std::string> Caps::QuirkNames() const { return Names(*this, true); }

absl::StatusOr<Caps> ParseCaps(absl::string_view words) {
  Caps caps;
  if (words == "-") return caps;
  for (absl::string_view word : absl::StrSplit(words, ',')) {
    if (word == "ancestors") word = "legacy";  // Its name in 0.1.
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [&](const CapsRow& row) { return row.name == word; });
    if (row == std::end(kRows)) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quote(word), " is not a capability or quirk: expected ",
                       absl::StrJoin(kRows, " ",
                                     [](std::string* out, const CapsRow& row) {
                                       absl::StrAppend(out, row.name);
                                     }),
                       ", or - for none"));
    }
    caps.*row->member = true;
  }
  return caps;
}

std::string CapsWord(const Caps& caps) {
  std::vector<std::string> words = caps.CapNames();
  for (std::string& quirk : caps.QuirkNames()) words.push_back(quirk);
  return words.empty() ? "-" : absl::StrJoin(words, ",");
}

}  // namespace gguf::readers
