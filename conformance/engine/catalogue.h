// The catalogue: every rule there is, in the order of the file format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_CATALOGUE_H_
#define GGUF_CONFORMANCE_ENGINE_CATALOGUE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/rules/check.h"
#include "parser/core/rule.h"

namespace gguf {

const std::vector<Check>& Catalogue();

// Looks up a rule by its id, or by one that it had in an older version.  Null
// when there is no such rule.
const Rule* FindRule(absl::string_view id);

// A rule that had another id.
struct RenamedRule {
  const char* old_id;
  const char* id;
};
absl::Span<const RenamedRule> RenamedRules();

// What a rule is about: the framing that every file has (header, metadata
// syntax, tensor table, data), or the model in it.
enum class Scope { kContainer, kModel };

// Of a rule of the catalogue.
Scope ScopeOf(absl::string_view id);

// The rule id that `id` was probably meant to be; empty when none is close.
std::string ClosestRule(absl::string_view id);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_CATALOGUE_H_
