// Collects the rules of all checks.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/compare/compare_rules.h"

#include "conformance/rules/compare/checks.h"

namespace gguf {

std::vector<const Rule*> CompareRules() {
  std::vector<const Rule*> rules;
  for (const auto checks :
       {CompareKeyChecks(), CompareTensorChecks(), CompareWeightChecks()}) {
    for (const Check& check : checks) rules.push_back(check.rule);
  }
  return rules;
}

}  // namespace gguf
