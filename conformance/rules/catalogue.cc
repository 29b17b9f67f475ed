// Lists the tables of rules and looks up rules by id.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/catalogue.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "conformance/base/text.h"
#include "conformance/rules/rule_tables.h"
#include "parser/legacy_rules.h"
#include "parser/structure_rules.h"

namespace gguf {
namespace {

// A table, or one rule of the parser.
struct Part {
  Part(const RuleTable& table) : rules(table.begin(), table.size()) {}
  Part(const Rule& rule) : rules(&rule, 1) {}

  absl::Span<const Rule> rules;
};

std::vector<const Rule*> Concatenate() {
  // In the order of the file format.
  const Part parts[] = {
      kFileNameRules,
      kHeaderMagic,
      kHeaderVersionKnown,
      kHeaderRules,
      kHeaderCountsFit,
      kFileComplete,
      kKeyRules,
      kValueTypeKnown,
      kArrayElementTypeKnown,
      kArrayLengthFits,
      kArrayNestingBounded,
      kValueRules,
      kStringLengthBounded,
      kArrayLengthBounded,
      kFloatRules,
      kAlignmentRules,
      kArchitectureRules,
      kConditionRules,
      kHparamValueRules,
      kStandardKeyRules,
      kKeyStatusRules,
      kValueFormatRules,
      kValueTextRules,
      kQuantizationRules,
      kShardRules,
      kTokenizerRules,
      kPreTokenizerRules,
      kVocabularyRules,
      kTokenArrayRules,
      kSpecialTokenRules,
      kByteTokenRules,
      kTokenizerFamilyRules,
      kEndTokenRules,
      kCharsmapRules,
      kHuggingFaceRules,
      kTemplateRules,
      kTemplateDialectRules,
      kTemplateTextRules,
      kRenderingRules,
      kTensorNameRules,
      kTensorDimensionCount,
      kTensorShapeRules,
      kModelTensorRules,
      kModelShapeRules,
      kTrainedWeightRules,
      kUsualRules,
      kKindKeyRules,
      kKindConditionRules,
      kImageRules,
      kAdapterRules,
      kImatrixRules,
      kProjectorRules,
      kBaseRules,
      kLayoutRules,
      kSecondReaderRules,
      kContentRules,
      kWeightRules,
      kNameContentRules,
      kNameEndingRules,
      kLegacyFormatRules,
      kLegacyVersionKnown,
      kLegacyFamilyRules,
      kLegacyCountsFit,
      kLegacyHparamRules,
      kLegacyTensorTypeKnown,
      kLegacyTensorSizeKnown,
      kLegacyRecordsWhole,
      kLegacyDimensionCount,
      kLegacyTensorRules,
      kPolicyRules,
      kDigestRules,
      kCompareKeyRules,
      kCompareTensorRules,
      kCompareWeightRules,
  };
  std::vector<const Rule*> all;
  for (const Part& part : parts) {
    for (const Rule& rule : part.rules) all.push_back(&rule);
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
    {"projector-blocks-present", "model-blocks-present"},
};

using RulesById = absl::flat_hash_map<absl::string_view, const Rule*>;

RulesById IndexById() {
  RulesById rules;
  for (const Rule* rule : Catalogue()) rules.emplace(rule->id, rule);
  for (const RenamedRule& renamed : kRenamedRules) {
    rules.emplace(renamed.old_id, rules.at(renamed.id));
  }
  return rules;
}

}  // namespace

const std::vector<const Rule*>& Catalogue() {
  static const auto& all = *new std::vector<const Rule*>(Concatenate());
  return all;
}

Rule::Check CheckOf(const Rule& rule) {
  // The parser has no checks to name.
  static constexpr std::pair<const Rule*, Rule::Check> kOfParser[] = {
      {&kStringLengthBounded, CheckStringLengths},
      {&kArrayLengthBounded, CheckArrayLengths},
      {&kTensorDimensionCount, CheckDimensionCounts},
      {&kLegacyDimensionCount, CheckLegacyDimensionCounts},
  };
  for (const auto& [of_parser, check] : kOfParser) {
    if (of_parser == &rule) return check;
  }
  return rule.check;
}

const FixRow& FixOf(const Rule& rule) {
  static const auto& rows = *[] {
    auto* made = new absl::flat_hash_map<absl::string_view, const FixRow*>();
    for (const FixRow& row : kFixes) made->emplace(row.rule, &row);
    return made;
  }();
  return *rows.at(rule.id);
}

std::string FixText(const Rule& rule) {
  const FixRow& row = FixOf(rule);
  const std::string kind = WordOf(row.fix);
  switch (row.fix) {
    case FixKind::kNone:
      return kind + ": " + WordOf(row.reason);
    case FixKind::kRename:
      return kind + ": the file needs another name";
    default:
      return kind + ": ggufcheck fix MODEL --output NEW" +
             (row.fix == FixKind::kDerived  ? " --unsafe"
              : row.fix == FixKind::kSource ? " --source DIR"
                                            : "");
  }
}

const Rule* FindRule(absl::string_view id) {
  static const auto& rules = *new RulesById(IndexById());
  const auto found = rules.find(id);
  return found == rules.end() ? nullptr : found->second;
}

absl::Span<const RenamedRule> RenamedRules() { return kRenamedRules; }

std::vector<const Rule*> RulesAgainst(Against against) {
  std::vector<const Rule*> rules;
  for (const Rule* rule : Catalogue()) {
    if (rule->against == against) rules.push_back(rule);
  }
  return rules;
}

const char* ScopeName(Scope scope) { return scope == Scope::kContainer ? "container" : "model"; }

std::string ClosestRule(absl::string_view id) {
  std::vector<absl::string_view> ids;
  for (const Rule* rule : Catalogue()) ids.push_back(rule->id);
  return ClosestWord(id, ids);
}

}  // namespace gguf
