// The tables of rules, by subject.  Each is defined in the file of its section;
// catalogue.cc lists them in the order of the file format.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_RULE_TABLES_H_
#define GGUF_CONFORMANCE_RULES_RULE_TABLES_H_

#include <initializer_list>

#include "conformance/rules/check.h"
#include "parser/rule.h"

namespace gguf {

using RuleTable = std::initializer_list<Rule>;

// naming
extern const RuleTable kFileNameRules;
extern const RuleTable kNameContentRules;
extern const RuleTable kNameEndingRules;

// container
extern const RuleTable kHeaderRules;
extern const RuleTable kAlignmentRules;
extern const RuleTable kTensorNameRules;
extern const RuleTable kTensorShapeRules;
extern const RuleTable kLayoutRules;
extern const RuleTable kSecondReaderRules;
extern const RuleTable kContentRules;

// metadata
extern const RuleTable kKeyRules;
extern const RuleTable kValueRules;
extern const RuleTable kFloatRules;  // value_checks.cc
extern const RuleTable kStandardKeyRules;
extern const RuleTable kKeyStatusRules;
extern const RuleTable kValueFormatRules;
extern const RuleTable kValueTextRules;
extern const RuleTable kQuantizationRules;

// architecture
extern const RuleTable kArchitectureRules;
extern const RuleTable kConditionRules;
extern const RuleTable kHparamValueRules;
extern const RuleTable kModelTensorRules;
extern const RuleTable kModelShapeRules;
extern const RuleTable kTrainedWeightRules;
extern const RuleTable kUsualRules;
extern const RuleTable kKindKeyRules;
extern const RuleTable kKindConditionRules;  // condition_checks.cc
extern const RuleTable kImageRules;

// shards
extern const RuleTable kShardRules;

// tokenizer
extern const RuleTable kTokenizerRules;
extern const RuleTable kPreTokenizerRules;
extern const RuleTable kVocabularyRules;
extern const RuleTable kTokenArrayRules;
extern const RuleTable kSpecialTokenRules;
extern const RuleTable kByteTokenRules;
extern const RuleTable kTokenizerFamilyRules;
extern const RuleTable kEndTokenRules;
extern const RuleTable kCharsmapRules;
extern const RuleTable kHuggingFaceRules;

// template
extern const RuleTable kTemplateRules;
extern const RuleTable kTemplateDialectRules;
extern const RuleTable kTemplateTextRules;
extern const RuleTable kRenderingRules;

// companions
extern const RuleTable kAdapterRules;
extern const RuleTable kImatrixRules;
extern const RuleTable kProjectorRules;
extern const RuleTable kBaseRules;

// weights
extern const RuleTable kWeightRules;

// legacy
extern const RuleTable kLegacyFormatRules;  // legacy_hparam_checks.cc
extern const RuleTable kLegacyFamilyRules;  // legacy_hparam_checks.cc
extern const RuleTable kLegacyHparamRules;
extern const RuleTable kLegacyTensorRules;

// policy
extern const RuleTable kPolicyRules;
extern const RuleTable kDigestRules;

// compare
extern const RuleTable kCompareKeyRules;
extern const RuleTable kCompareTensorRules;
extern const RuleTable kCompareWeightRules;

// Checks of rules that the parser reports only where it has to stop.
void CheckStringLengths(const CheckContext& context, Finder& find);
void CheckArrayLengths(const CheckContext& context, Finder& find);
void CheckDimensionCounts(const CheckContext& context, Finder& find);
void CheckLegacyDimensionCounts(const CheckContext& context, Finder& find);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_RULE_TABLES_H_
