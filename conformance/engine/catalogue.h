// The catalogue: all rules, in the order of the file format.
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

// Finds a rule by its id, or by its id in an older version.  Returns null if
// there is none.
const Rule* FindRule(absl::string_view id);

// A rule that had another id.
struct RenamedRule {
  const char* old_id;
  const char* id;
};
absl::Span<const RenamedRule> RenamedRules();

// Returns whether a rule compares a file with the model of --base.
bool ComparesWithBase(const Rule& rule);

// The subject of a rule: the container that every file has (header, metadata
// syntax, tensor table, data), or the model in it.
enum class Scope { kContainer, kModel };

// Returns the scope of a rule of the catalogue.
Scope ScopeOf(absl::string_view id);

// Returns "container" or "model".
const char* AboutName(absl::string_view id);

// Returns the rule id closest to a misspelled `id`; empty if none is close.
std::string ClosestRule(absl::string_view id);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_CATALOGUE_H_
