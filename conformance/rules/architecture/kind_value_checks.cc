// Checks of the values of keys in files other than language models.
//
// The conditions are rows of tables/kind_rules.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/condition_report.h"
#include "conformance/tables/kind_rules.h"

namespace gguf {
namespace {

// Checks one rule of the table.
template <KindRule rule>
void Holds(const Model& model, Finder& find) {
  const Hparams& hparams = model.hparams();
  for (const KindRuleRow& row : kKindRules) {
    if (row.rule != rule || !model.kind().Is(row.kind) ||
        hparams.Key(row.about) == nullptr) {
      continue;
    }
    const auto holds = hparams.Evaluate(row.holds);
    if (!holds) {
      find.CannotCheck(absl::StrCat("not known whether ", row.holds.source));
    }
    if (holds.value_or(1) != 0) continue;
    ReportCondition(model, {row.about, row.left, row.right, row.says}, false, 0,
                    find);
  }
}

constexpr Rule kLoraStated = {
    "lora-type-stated",
    Severities().Upload(kError).LlamaCpp(kError),
    "In a LoRA adapter, general.type shall be adapter and adapter.type shall "
    "be lora.",
    "llama.cpp refuses an adapter of any other type.",
    "Write the two keys as llama.cpp's converter of adapters does.",
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
    "squares of the others overflow 32 bits; it has written past the end of "
    "its buffers (llama.cpp 27166, 27223, 27224).",
    "Write the values of the original model's configuration.",
    "Not in the specification; the limits of llama.cpp's clip.cpp, August "
    "2026; for pixels, what its 32-bit indexes hold."};

constexpr Rule kProjectorPatches = {
    "projector-image-whole-patches",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "A projector's image size should be a multiple of its patch size.",
    "The last pixels of each row and column are ignored.",
    "No change is needed if the original model has these sizes, as some do.",
    "Not in the specification; clip.cpp divides and drops the remainder."};

constexpr Rule kProjectorChannels = {
    "projector-image-channels",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "image_mean and image_std of a projector shall have a value for each of "
    "the three colour channels.",
    "Older versions of llama.cpp read three values regardless of the length "
    "(llama.cpp 24142); newer ones refuse the file.",
    "Write three values.",
    "Not in the specification; llama.cpp throws \"image_mean/image_std arrays "
    "must have at least 3 elements\"."};

constexpr Rule kProjectorPinpoints = {
    "projector-pinpoints-paired",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "image_grid_pinpoints of a projector shall be pairs of numbers.",
    "Older versions of llama.cpp read a number past the end (llama.cpp 24976); "
    "newer ones refuse the file.",
    "Write the width and height of each size.",
    "Not in the specification; llama.cpp throws \"image_grid_pinpoints must "
    "have an even number of elements\"."};

constexpr Rule kProjectorActivation = {
    "projector-one-activation",
    Severities().Upload(kError).LlamaCpp(kError),
    "A projector shall not use both GELU and SiLU.",
    "llama.cpp refuses the file.",
    "Of clip.use_gelu and clip.use_silu, set the one that the original model "
    "does not use to false.",
    "Not in the specification; llama.cpp throws \"both use_gelu and use_silu "
    "are set to true\"."};

constexpr Check kChecks[] = {
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

absl::Span<const Check> KindValueChecks() { return kChecks; }

}  // namespace gguf
