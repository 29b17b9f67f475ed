// Lists the sections and looks up rules by id.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine/catalogue.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/companions/checks.h"
#include "conformance/rules/compare/checks.h"
#include "conformance/rules/container/checks.h"
#include "conformance/rules/edit_distance.h"
#include "conformance/rules/legacy/checks.h"
#include "conformance/rules/metadata/checks.h"
#include "conformance/rules/naming/checks.h"
#include "conformance/rules/policy/checks.h"
#include "conformance/rules/shards/checks.h"
#include "conformance/rules/template/checks.h"
#include "conformance/rules/tokenizer/checks.h"
#include "conformance/rules/weights/checks.h"

namespace gguf {
namespace {

// In the order of the file format.
struct Section {
  Scope scope;
  absl::Span<const Check> checks;
};

std::vector<Section> Sections() {
  return {{Scope::kContainer, FileNameChecks()},
          {Scope::kContainer, HeaderChecks()},
          {Scope::kContainer, KeyChecks()},
          {Scope::kContainer, ValueChecks()},
          {Scope::kContainer, AlignmentChecks()},
          {Scope::kModel, ArchitectureChecks()},
          {Scope::kModel, RequiredKeyChecks()},
          {Scope::kModel, HparamChecks()},
          {Scope::kModel, HparamValueChecks()},
          {Scope::kModel, StandardKeyChecks()},
          {Scope::kModel, KeyStatusChecks()},
          {Scope::kModel, ValueFormatChecks()},
          {Scope::kModel, RangeChecks()},
          {Scope::kModel, QuantizationChecks()},
          {Scope::kModel, SplitChecks()},
          {Scope::kModel, ShardSetChecks()},
          {Scope::kModel, TokenizerChecks()},
          {Scope::kModel, VocabularyChecks()},
          {Scope::kModel, TokenArrayChecks()},
          {Scope::kModel, SpecialTokenChecks()},
          {Scope::kModel, TokenTextChecks()},
          {Scope::kModel, ByteTokenChecks()},
          {Scope::kModel, CharsmapChecks()},
          {Scope::kModel, HuggingFaceChecks()},
          {Scope::kModel, TemplateChecks()},
          {Scope::kModel, TemplateNameChecks()},
          {Scope::kModel, TemplateEndChecks()},
          {Scope::kContainer, TensorNameChecks()},
          {Scope::kContainer, TensorShapeChecks()},
          {Scope::kModel, ModelTensorChecks()},
          {Scope::kModel, ModelShapeChecks()},
          {Scope::kModel, KindChecks()},
          {Scope::kModel, KindValueChecks()},
          {Scope::kModel, ImageChecks()},
          {Scope::kModel, LoraChecks()},
          {Scope::kModel, ControlVectorChecks()},
          {Scope::kModel, ImatrixChecks()},
          {Scope::kModel, ProjectorChecks()},
          {Scope::kModel, BaseChecks()},
          {Scope::kModel, DraftChecks()},
          {Scope::kContainer, LayoutChecks()},
          {Scope::kContainer, WeightChecks()},
          {Scope::kModel, NameContentChecks()},
          {Scope::kModel, NameEndingChecks()},
          {Scope::kContainer, LegacyFormatChecks()},
          {Scope::kModel, LegacyHparamChecks()},
          {Scope::kContainer, LegacyLayoutChecks()},
          {Scope::kModel, LegacyTensorChecks()},
          {Scope::kModel, PolicyChecks()},
          {Scope::kModel, DigestChecks()},
          {Scope::kModel, CompareKeyChecks()},
          {Scope::kModel, CompareTensorChecks()},
          {Scope::kModel, CompareWeightChecks()}};
}

std::vector<Check> Concatenate() {
  std::vector<Check> all;
  for (const Section& section : Sections()) {
    all.insert(all.end(), section.checks.begin(), section.checks.end());
  }
  return all;
}

constexpr RenamedRule kRenamedRules[] = {
    {"house-file-name-allowed", "policy-file-name-allowed"},
    {"house-file-size-allowed", "policy-file-size-allowed"},
    {"house-architecture-allowed", "policy-architecture-allowed"},
    {"house-tensor-type-allowed", "policy-tensor-type-allowed"},
    {"house-key-present", "policy-key-present"},
    {"house-value-allowed", "policy-value-allowed"},
};

struct RuleOfScope {
  const Rule* rule;
  Scope scope;
};
using RulesById = absl::flat_hash_map<absl::string_view, RuleOfScope>;

RulesById IndexById() {
  RulesById rules;
  for (const Section& section : Sections()) {
    for (const Check& check : section.checks) {
      rules.emplace(check.rule->id, RuleOfScope{check.rule, section.scope});
    }
  }
  for (const RenamedRule& renamed : kRenamedRules) {
    rules.emplace(renamed.old_id, rules.at(renamed.id));
  }
  return rules;
}

const RulesById& ById() {
  static const auto& rules = *new RulesById(IndexById());
  return rules;
}

}  // namespace

const std::vector<Check>& Catalogue() {
  static const auto& all = *new std::vector<Check>(Concatenate());
  return all;
}

const Rule* FindRule(absl::string_view id) {
  const auto found = ById().find(id);
  return found == ById().end() ? nullptr : found->second.rule;
}

absl::Span<const RenamedRule> RenamedRules() { return kRenamedRules; }

bool ComparesWithBase(const Rule& rule) {
  const auto has = [&](absl::Span<const Check> checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const Check& check) { return check.rule == &rule; });
  };
  return has(BaseChecks()) || has(DraftChecks());
}

Scope ScopeOf(absl::string_view id) {
  const auto found = ById().find(id);
  return found == ById().end() ? Scope::kContainer : found->second.scope;
}

const char* AboutName(absl::string_view id) {
  return ScopeOf(id) == Scope::kContainer ? "container" : "model";
}

std::string ClosestRule(absl::string_view id) {
  std::vector<absl::string_view> ids;
  for (const Check& check : Catalogue()) ids.push_back(check.rule->id);
  return ClosestWord(id, ids);
}

}  // namespace gguf
