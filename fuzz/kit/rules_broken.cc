// Validates with every rule enabled.
//
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/kit/rules_broken.h"

#include <utility>

#include "conformance/engine/catalogue.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"

namespace gguf {
namespace {

// Rules, and why a mutator cannot break them.
constexpr std::pair<const char*, const char*> kUnbreakable[] = {
    {"file-name-convention", "it checks the file's name, not its bytes"},
    {"string-length-bounded", "it requires a string of more than a gigabyte"},
    {"array-length-bounded", "it requires an array of more than a gigabyte"},
    {"image-tensor-name-length", "it requires the tensors of an image model"},
    {"image-tensor-dimension-count",
     "it requires the tensors of an image model"},
    {"tensor-layout-of-type",
     "it requires tensors of the sizes of another program's type"},
    {"weights-index-in-range",
     "it requires an architecture, one of its keys and one of its tensors"},
    {"key-lower-snake-case-known",
     "it requires a known architecture with upper-case letters or dashes"},
};

}  // namespace

std::set<std::string> RulesBroken(Bytes file) {
  CheckOptions options;
  options.weights = true;
  const FileReport report = Validate(file, *Profile::Find("pedantic"), options);
  std::set<std::string> broken;
  for (const Finding& finding : report.findings) {
    const Rule& rule = *finding.diagnostic.rule;
    if (ScopeOf(rule.id) == Scope::kContainer) broken.insert(rule.id);
  }
  return broken;
}

std::set<std::string> BreakableRules() {
  std::set<std::string> rules;
  for (const Check& check : Catalogue()) {
    if (check.files == Files::kLegacy) continue;  // The mutator makes GGUF.
    const std::string id = check.rule->id;
    if (ScopeOf(id) == Scope::kContainer && WhyUnbreakable(id) == nullptr) {
      rules.insert(id);
    }
  }
  return rules;
}

const char* WhyUnbreakable(const std::string& rule) {
  for (const auto& [id, why] : kUnbreakable) {
    if (rule == id) return why;
  }
  return nullptr;
}

}  // namespace gguf
