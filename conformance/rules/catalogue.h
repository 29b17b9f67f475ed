// The catalogue: all rules, in the order of the file format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CATALOGUE_H_
#define GGUF_CONFORMANCE_RULES_CATALOGUE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/tables/fixes.h"
#include "parser/rule.h"

namespace gguf {

const std::vector<const Rule*>& Catalogue();

// Returns the check of a rule of the catalogue; null if the parser does it all.
Rule::Check CheckOf(const Rule& rule);

// Returns how what violates a rule is fixed.
const FixRow& FixOf(const Rule& rule);

// Returns "safe: ggufcheck fix MODEL --output NEW", or why there is no fix.
std::string FixText(const Rule& rule);

// Finds a rule by its id, or by its id in an older version.  Returns null if
// there is none.
const Rule* FindRule(absl::string_view id);

// A rule that had another id.
struct RenamedRule {
  const char* old_id;
  const char* id;
};
absl::Span<const RenamedRule> RenamedRules();

// Returns the rules that compare a file with this.
std::vector<const Rule*> RulesAgainst(Against against);

// Returns "container" or "model".
const char* ScopeName(Scope scope);

// Returns the rule id closest to a misspelled `id`; empty if none is close.
std::string ClosestRule(absl::string_view id);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CATALOGUE_H_
