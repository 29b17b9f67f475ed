// Validates with every rule enabled.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/kit/rules_broken.h"

#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

namespace gguf {
std::set<std::string> RulesBroken(Bytes file) {
  CheckOptions options;
  options.weights = true;
  const FileReport report = Validate(file, *Profile::Find("pedantic"), options);
  std::set<std::string> broken;
  for (const Finding& finding : report.findings) {
    const Rule& rule = *finding.diagnostic.rule;
    if (rule.scope == Scope::kContainer) broken.insert(rule.id);
  }
  return broken;
}

std::set<std::string> BreakableRules() {
  std::set<std::string> rules;
  for (const Rule* rule : Catalogue()) {
    if (rule->files == Files::kLegacy) continue;  // The mutator makes GGUF.
    if (rule->scope == Scope::kContainer && rule->unbreakable == nullptr) {
      rules.insert(rule->id);
    }
  }
  return rules;
}

}  // namespace gguf
