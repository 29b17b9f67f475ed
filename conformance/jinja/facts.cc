// Classifies literal texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/facts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {

Facts LiteralFacts(absl::string_view text) {
  // |sort(attribute="a.b,c") reads paths of several attributes.
  const std::vector<absl::string_view> steps = absl::StrSplit(text, absl::ByAnyChar(".,"));
  const auto any = [&](bool (*is_unsafe)(absl::string_view)) {
    return std::any_of(steps.begin(), steps.end(), is_unsafe);
  };
  // With fields, it is no name but may be a format.
  const bool has_fields = absl::StrContains(text, '{');
  const bool is_of_object = has_fields ? HasUnsafeField(text) : any(IsUnsafeOnObject);
  const Origin word = any(IsUnsafeSubscript) ? kUnsafeWord : is_of_object ? kObjectWord : kWord;
  return FactsOf(word, kWord);
}

}  // namespace gguf::jinja
