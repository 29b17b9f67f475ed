// Checks of conditions on keys: a model's hyperparameters, alone and in
// relation to each other, and the keys of files other than language models.
//
// The conditions are rows of tables/hparam_rules.tsv and kind_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/model/hparam_names.h"
#include "conformance/model/reason.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/judged.h"
#include "conformance/tables/hparam_rules.h"
#include "conformance/tables/kind_rules.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Reports a row at the value of its key, or at block `i`'s if it has one for
// each.  The message may show {left}, {right}, {text} and {arch}.
template <class Row>
void ReportRow(const Model& model, const Row& row, bool per_block, int64_t i,
               Finder& find) {
  const Hparams& hparams = model.hparams();
  const KeyValue& kv = *hparams.Key(row.about);
  const auto value = [&](const Expr& expr) {
    const auto number = expr.empty() ? std::nullopt : hparams.Evaluate(expr, i);
    return Word{number ? absl::StrCat(*number) : ""};
  };
  Subject subject = kv.subject().Of("value");
  if (per_block && kv.type->kind == ValueKind::kArray) {
    subject = subject.At(static_cast<uint64_t>(i));
  }
  find(kv.value, subject, row.says,
       {{"left", value(row.left)},
        {"right", value(row.right)},
        {"text", hparams.Text(row.about).value_or("")},
        {"arch", Word{Escape(hparams.architecture_name())}}});
}

// Checks a row's condition, if its key is present: once, or for each block.
template <class Row>
void CheckRow(const Model& model, const Row& row, bool per_block,
              Finder& find) {
  const Hparams& hparams = model.hparams();
  if (hparams.Key(row.about) == nullptr) return;
  int64_t blocks = 1;
  if (per_block) {
    blocks = std::min(hparams.Get(Symbol::kNLayerAll).value_or(1), kMostBlocks);
  }
  for (int64_t i = 0; i < blocks; ++i) {
    const auto holds = hparams.Evaluate(row.holds, i);
    if (!holds) {
      find.CannotCheck(absl::StrCat("a value of ", NamesIn(hparams, row.holds),
                                    " is not known"));
    }
    if (holds.value_or(1) != 0) continue;
    return ReportRow(model, row, per_block, i, find);  // The first is enough.
  }
}

template <HparamRule rule>
void Holds(const Model& model, Finder& find) {
  for (const HparamRow& row : kHparamRules.Of(model.hparams().architecture())) {
    if (row.rule == rule) CheckRow(model, row, row.per_block, find);
  }
}

template <KindRule rule>
void Holds(const Model& model, Finder& find) {
  for (const KindRuleRow& row : kKindRules) {
    if (row.rule != rule || !model.kind().Is(row.kind)) continue;
    CheckRow(model, row, false, find);
  }
}

constexpr Rule kBlockCount = {
    "block-count-in-range",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The number of blocks shall be from 1 to 512.",
    "llama.cpp aborts on a number outside this range; other readers divide by "
    "zero (CVE-2024-8063), or allocate memory in proportion to the number.",
    "Write the model's number of blocks.",
    "Not in the specification; llama.cpp asserts block_count in 1..512."};

constexpr Rule kNextn = {
    "nextn-below-block-count",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "nextn_predict_layers shall not exceed block_count, which includes these "
    "layers.",
    "Readers subtract nextn_predict_layers from block_count; if it is larger, "
    "the difference underflows to about 4 billion blocks.",
    "Include the nextn_predict_layers blocks in block_count.",
    "Not in the specification; llama.cpp asserts this."};

constexpr Rule kNextnLeavesBlocks = {
    "nextn-leaves-blocks",
    Severities().Upload(kError).LlamaCpp(kWarning).Safety(kError),
    "A model shall have at least one block besides its nextn_predict_layers "
    "blocks; a model of the architecture gemma4-assistant shall have "
    "nextn_predict_layers blocks only.",
    "Since v0.5.0, llama.cpp loads only the nextn_predict_layers blocks of "
    "such a model; earlier versions abort.",
    "Set block_count to the number of all blocks, including those of "
    "nextn_predict_layers.",
    "Not in the specification; llama.cpp before v0.5.0 asserts this.",
    Since("0.2.0")};

constexpr Rule kHeadCount = {
    "head-count-positive",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "Where the architecture has attention, head_count and head_count_kv shall "
    "be greater than 0; in an array, a block without attention may have 0.",
    "Readers divide by the head counts, and cannot compute the shapes of "
    "tensors without them.",
    "Write the model's head counts.",
    "Not in the specification; llama.cpp derives tensor shapes from the head "
    "counts."};

constexpr Rule kHeadGroups = {
    "head-count-kv-divides",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The number of key and value heads shall divide the number of heads.",
    "Each key and value head serves a group of heads, and all groups have the "
    "same size.",
    "Write the head counts of the original model.",
    "gguf.md, attention.head_count_kv: \"The number of heads per group used in "
    "Grouped-Query-Attention\"; ggml asserts that the number of heads is "
    "divisible by the number of key and value heads."};

constexpr Rule kHeadWidth = {
    "head-count-divides-embedding",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kWarning),
    "Without attention.key_length, head_count shall divide embedding_length.",
    "Readers use the quotient as the width of a head, and drop the remainder.",
    "Write attention.key_length and value_length, or correct head_count or "
    "embedding_length.",
    "gguf.md, attention.key_length: \"If not specified, it will be `n_embd / "
    "n_head`\"."};

constexpr Rule kExperts = {
    "expert-counts-consistent",
    Severities().Upload(kError).Spec(kWarning).LlamaCpp(kError).Safety(kError),
    "The expert counts shall be consistent: at most 1024 experts, no more in "
    "use than exist, and in groups of equal size.",
    "llama.cpp aborts on inconsistent counts; other readers look up missing "
    "experts.",
    "Write all expert counts of the original model, or none of them.",
    "gguf.md, expert_count and expert_used_count; llama.cpp asserts these "
    "conditions."};

constexpr Rule kRopeDimension = {
    "rope-dimension-count-fits",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "Where the architecture rotates whole heads, rope.dimension_count shall be "
    "the width of a head.",
    "llama.cpp refuses any other number.",
    "Set rope.dimension_count to the value of attention.key_length or, if that "
    "key is absent, to embedding_length / head_count.",
    "Not in the specification; llama.cpp's loader, for llama, deci, falcon and "
    "llama-embed."};

constexpr Rule kRopeType = {
    "rope-scaling-type-known",
    Severities().Upload(kError).Spec(kError).LlamaCpp(kError),
    "rope.scaling.type shall be none, linear, yarn or longrope.",
    "llama.cpp aborts on any other value; readers that ignore an unknown value "
    "produce wrong output.",
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
    "Readers use context_length instead, which is the scaled length, and "
    "produce wrong output.",
    "Add the context length that the base model was trained with.",
    "gguf.md, rope.scaling.original_context_length: \"The original context "
    "length of the base model\"."};

constexpr Rule kContext = {
    "context-length-positive",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    "context_length should not be 0.",
    "Readers use context_length as the default length of the context.",
    "Write the context length that the model was trained with.",
    "gguf.md, context_length: \"length of the context (in tokens) that the "
    "model was trained on\"."};

constexpr Rule kArchitecture = {
    "architecture-hparams-consistent",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The hyperparameters shall satisfy the constraints of their architecture.",
    "llama.cpp refuses the file, or aborts.",
    "Write the values of the original model's configuration.",
    "Not in the specification; llama.cpp's architecture-specific loaders."};

constexpr Check kModelChecks[] = {
    {&kBlockCount, Needs::kKeys, Holds<HparamRule::kBlockCount>, OnlyModels},
    {&kNextn, Needs::kKeys, Holds<HparamRule::kNextn>, OnlyModels},
    {&kNextnLeavesBlocks, Needs::kKeys, Holds<HparamRule::kNextnLeavesBlocks>,
     OnlyModels},
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

constexpr Rule kLoraStated = {
    "lora-type-stated",
    Severities().Upload(kError).LlamaCpp(kError),
    "In a LoRA adapter, general.type shall be adapter and adapter.type shall "
    "be lora.",
    "llama.cpp refuses an adapter of any other type.",
    "Write the two keys as llama.cpp's adapter converter does.",
    "Not in the specification; llama.cpp throws \"expect general.type to be "
    "'adapter'\" and \"expect adapter.type to be 'lora'\"."};

constexpr Rule kEncoderStated = {
    "projector-encoder-stated",
    Severities().Upload(kError).LlamaCpp(kError),
    "A projector shall have an encoder: for images, for sound, or for both.",
    "llama.cpp loads nothing from the file and fails.",
    "Set clip.has_vision_encoder or clip.has_audio_encoder to true.",
    "Not in the specification; llama.cpp's multimodal library requires one."};

constexpr Rule kProjectorSizes = {
    "projector-sizes-in-range",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The sizes of a projector shall be in the range that readers can compute "
    "with.",
    "llama.cpp divides by the number of heads and the patch size, and the "
    "squares of the other sizes may overflow 32 bits; llama.cpp has written "
    "past the end of its buffers (llama.cpp #27166, #27223, #27224).",
    "Write the values of the original model's configuration.",
    "Not in the specification; the limits of llama.cpp's clip.cpp of August "
    "2026; the number of pixels is limited by the range of clip.cpp's 32-bit "
    "indexes."};

constexpr Rule kProjectorPatches = {
    "projector-image-whole-patches",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "A projector's image size should be a multiple of its patch size.",
    "The last pixels of each row and column are ignored.",
    "No change is needed if the original model has these sizes, as some do.",
    "Not in the specification; clip.cpp divides the image size by the patch "
    "size and drops the remainder."};

constexpr Rule kProjectorChannels = {
    "projector-image-channels",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "image_mean and image_std of a projector shall have a value for each of "
    "the three colour channels.",
    "Older versions of llama.cpp read three values regardless of the length "
    "(llama.cpp #24142); newer versions refuse the file.",
    "Write three values.",
    "Not in the specification; llama.cpp throws \"image_mean/image_std arrays "
    "must have at least 3 elements\"."};

constexpr Rule kProjectorPinpoints = {
    "projector-pinpoints-paired",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "image_grid_pinpoints of a projector shall have an even number of "
    "elements, a width and a height for each size.",
    "Older versions of llama.cpp read a number past the end of the array "
    "(llama.cpp #24976); newer versions refuse the file.",
    "Write the width and height of each size.",
    "Not in the specification; llama.cpp throws \"image_grid_pinpoints must "
    "have an even number of elements\"."};

constexpr Rule kProjectorActivation = {
    "projector-one-activation",
    Severities().Upload(kError).LlamaCpp(kError),
    "A projector shall not use both GELU and SiLU.",
    "llama.cpp supports one activation for each projector and refuses the "
    "file.",
    "Of clip.use_gelu and clip.use_silu, set the one that the original model "
    "does not use to false.",
    "Not in the specification; llama.cpp throws \"both use_gelu and use_silu "
    "are set to true\"."};

constexpr Check kKindChecks[] = {
    {&kLoraStated, Needs::kTensors, Holds<KindRule::kLoraStated>},
    {&kEncoderStated, Needs::kTensors, Holds<KindRule::kEncoderStated>},
    {&kProjectorSizes, Needs::kTensors, Holds<KindRule::kProjectorSizes>},
    {&kProjectorPatches, Needs::kTensors, Holds<KindRule::kProjectorPatches>},
    {&kProjectorChannels, Needs::kTensors, Holds<KindRule::kProjectorChannels>},
    {&kProjectorPinpoints, Needs::kTensors,
     Holds<KindRule::kProjectorPinpoints>},
    {&kProjectorActivation, Needs::kTensors,
     Holds<KindRule::kProjectorActivation>},
};

}  // namespace

absl::Span<const Check> HparamChecks() { return kModelChecks; }

absl::Span<const Check> KindValueChecks() { return kKindChecks; }

}  // namespace gguf
