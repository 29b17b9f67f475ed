// Checks of a model's hyperparameters, alone and in relation to each other.
//
// The conditions are rows of tables/hparam_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/model/reason.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/condition_report.h"
#include "conformance/rules/judged.h"
#include "conformance/tables/hparam_rules.h"

namespace gguf {
namespace {

void FindBroken(HparamRule rule, const Model& model, Finder& find) {
  const Hparams& hparams = model.hparams();
  for (const HparamRow& row : kHparamRules.Of(hparams.architecture())) {
    if (row.rule != rule || hparams.Key(row.about) == nullptr) continue;
    int64_t blocks = 1;
    if (row.per_block) {
      blocks =
          std::min(hparams.Get(Symbol::kNLayerAll).value_or(1), kMostBlocks);
    }
    for (int64_t i = 0; i < blocks; ++i) {
      const auto holds = hparams.Evaluate(row.holds, i);
      if (!holds) {
        find.CannotCheck(absl::StrCat("not known whether ", row.holds.source));
      }
      if (holds.value_or(1) != 0) continue;
      ReportCondition(model, {row.about, row.left, row.right, row.says},
                      row.per_block, i, find);
      break;  // The first block is enough.
    }
  }
}

// Checks one rule of the table.
template <HparamRule rule>
void Holds(const Model& model, Finder& find) {
  FindBroken(rule, model, find);
}

constexpr Rule kBlockCount = {
    "block-count-in-range",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The number of blocks shall be from 1 to 512.",
    "llama.cpp aborts on any other number; readers that do not check it use it "
    "to size an allocation (CVE-2024-8063).",
    "Write the model's number of blocks.",
    "Not in the specification; llama.cpp asserts block_count in 1..512."};

constexpr Rule kNextn = {
    "nextn-below-block-count",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "nextn_predict_layers shall be less than block_count, which includes them.",
    "The difference underflows to about 4 billion blocks.",
    "Include the extra blocks in block_count.",
    "Not in the specification; llama.cpp asserts it."};

constexpr Rule kHeadCount = {
    "head-count-positive",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The numbers of heads shall not be 0 where the architecture has attention.",
    "Readers divide by them, and without them cannot compute the shapes of the "
    "tensors.",
    "Write the model's head counts.  A block without attention has a 0 in an "
    "array.",
    "Not in the specification; llama.cpp derives tensor shapes from them."};

constexpr Rule kHeadGroups = {
    "head-count-kv-divides",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The number of key and value heads shall divide the number of heads.",
    "Each of them serves a group of heads, and all groups are equal.",
    "Write the head counts of the original model.",
    "gguf.md, attention.head_count_kv: \"The number of heads per group used in "
    "Grouped-Query-Attention\"; ggml asserts that they divide."};

constexpr Rule kHeadWidth = {
    "head-count-divides-embedding",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kWarning),
    "Without attention.key_length, head_count shall divide embedding_length.",
    "Readers use the quotient as a head's width, and drop the remainder.",
    "Write attention.key_length and value_length, or correct the two numbers.",
    "gguf.md, attention.key_length: \"If not specified, it will be `n_embd / "
    "n_head`\"."};

constexpr Rule kExperts = {
    "expert-counts-consistent",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The numbers of experts shall be consistent: no more may be used than "
    "exist, and the number of groups must divide the number of experts.",
    "llama.cpp aborts otherwise; other readers look up missing experts.",
    "Write all expert counts of the original model, or none of them.",
    "gguf.md, expert_count and expert_used_count; llama.cpp asserts it."};

constexpr Rule kRopeDimension = {
    "rope-dimension-count-fits",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "Where the architecture rotates whole heads, rope.dimension_count shall be "
    "the width of a head.",
    "llama.cpp refuses the file.",
    "Set it to the value of attention.key_length or, if that key is absent, to "
    "embedding_length / head_count.",
    "Not in the specification; llama.cpp's loader, for llama, deci, falcon and "
    "llama-embed."};

constexpr Rule kRopeType = {
    "rope-scaling-type-known",
    Severities().Upload(kError).Spec(kError).LlamaCpp(kError),
    "rope.scaling.type shall be none, linear, yarn or longrope.",
    "llama.cpp aborts on any other; readers that ignore it produce wrong text.",
    "Correct the spelling, or remove the key.",
    "gguf.md, rope.scaling.type: \"Can be `none`, `linear`, or `yarn`\"; "
    "llama.cpp also accepts longrope."};

constexpr Rule kRopeTypeInSpec = {
    "rope-scaling-type-in-spec",
    Severities().Spec(kWarning),
    "rope.scaling.type should be none, linear or yarn.",
    "A reader that follows the specification does not know longrope.",
    "No change is needed for llama.cpp.",
    "gguf.md, rope.scaling.type: \"Can be `none`, `linear`, or `yarn`\"."};

constexpr Rule kYarn = {
    "yarn-original-context-length",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "With YaRN, rope.scaling.original_context_length should be present.",
    "Readers use context_length instead, which is the scaled one, and produce "
    "wrong text.",
    "Add the context length that the base model was trained with.",
    "gguf.md, rope.scaling.original_context_length: \"The original context "
    "length of the base model\"."};

constexpr Rule kContext = {
    "context-length-positive",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "context_length should not be 0.",
    "Readers use it as the default length of the context.",
    "Write the context length that the model was trained with.",
    "gguf.md, context_length: \"length of the context (in tokens) that the "
    "model was trained on\"."};

constexpr Rule kArchitecture = {
    "architecture-hparams-consistent",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "Hyperparameters shall be consistent with each other for the architecture.",
    "llama.cpp refuses the file, or aborts.",
    "Write the values of the original model's configuration.",
    "Not in the specification; llama.cpp's architecture-specific loaders."};

constexpr Check kChecks[] = {
    {&kBlockCount, Needs::kKeys, Holds<HparamRule::kBlockCount>, OnlyModels},
    {&kNextn, Needs::kKeys, Holds<HparamRule::kNextn>, OnlyModels},
    {&kHeadCount, Needs::kKeys, Holds<HparamRule::kHeadCount>, OnlyModels},
    {&kHeadGroups, Needs::kKeys, Holds<HparamRule::kHeadGroups>, OnlyModels},
    {&kHeadWidth, Needs::kKeys, Holds<HparamRule::kHeadWidth>, OnlyModels},
    {&kExperts, Needs::kKeys, Holds<HparamRule::kExperts>, OnlyModels},
    {&kRopeDimension, Needs::kKeys, Holds<HparamRule::kRopeDimension>,
     OnlyModels},
    {&kRopeType, Needs::kKeys, Holds<HparamRule::kRopeType>, OnlyModels},
    {&kRopeTypeInSpec, Needs::kKeys, Holds<HparamRule::kRopeTypeInSpec>,
     OnlyModels},
    {&kYarn, Needs::kKeys, Holds<HparamRule::kYarn>, OnlyModels},
    {&kContext, Needs::kKeys, Holds<HparamRule::kContext>, OnlyModels},
    {&kArchitecture, Needs::kKeys, Holds<HparamRule::kArchitecture>,
     OnlyModels},
};

}  // namespace

absl::Span<const Check> HparamChecks() { return kChecks; }

}  // namespace gguf
