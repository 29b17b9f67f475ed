// Classifies literal texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/facts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_split.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {

Facts LiteralFacts(absl::string_view text) {
  const std::vector<absl::string_view> steps = absl::StrSplit(text, '.');
  const bool is_unsafe =
      std::any_of(steps.begin(), steps.end(), IsUnsafeSubscript);
  return FactsOf(is_unsafe ? kUnsafeWord : kWord, kWord);
}

}  // namespace gguf::jinja
