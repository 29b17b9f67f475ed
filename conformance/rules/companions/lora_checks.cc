// Checks of the tensors of a LoRA adapter: two low-rank matrices, A and B, for
// each tensor of the base that it adapts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/judged.h"

namespace gguf {
namespace {

constexpr Rule kTensorNamed = {
    "lora-tensor-named",
    Severities().Upload(kError).LlamaCpp(kError),
    "Every tensor of a LoRA adapter, except norms, shall have the name of a "
    "tensor of the base, followed by .lora_a or .lora_b.",
    "llama.cpp rejects an adapter with a tensor of any other name.",
    "Convert the adapter again; fully trained tensors belong in a merged "
    "model.",
    "Not in the specification; llama.cpp throws \"LoRA tensor '...' has "
    "unexpected suffix\"."};

void TensorNamed(const Model& model, Finder& find) {
  for (const TensorInfo* tensor : LoraPairs(model).others) {
    if (IsNorm(*tensor)) continue;
    find(tensor->name.where, tensor->subject(),
         "ends with neither .lora_a nor .lora_b", {});
  }
}

constexpr Rule kNormUnused = {
    "lora-norm-unused",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "A LoRA adapter should not contain norms.",
    "llama.cpp ignores norms, so the output differs from that of the trained "
    "model.",
    "Merge the adapter into its base, norms included.",
    "Not in the specification; llama.cpp's adapter loader skips tensors whose "
    "names end with _norm.weight."};

void NormUnused(const Model& model, Finder& find) {
  for (const TensorInfo* tensor : LoraPairs(model).others) {
    if (!IsNorm(*tensor)) continue;
    find(tensor->name.where, tensor->subject(),
         "is a norm, which llama.cpp does not apply", {});
  }
}

constexpr Rule kTensorsPaired = {
    "lora-tensors-paired",
    Severities().Upload(kError).LlamaCpp(kError),
    "A LoRA adapter shall have both matrices, .lora_a and .lora_b, for each "
    "tensor that it adapts.",
    "llama.cpp rejects an adapter in which one of the two is missing.",
    "Convert the adapter again.",
    "Not in the specification; llama.cpp throws \"LoRA tensor pair for '...' "
    "is missing one component\"."};

void TensorsPaired(const Model& model, Finder& find) {
  if (model.file.progress < Progress::kTensors)
    return;  // The other one may follow.
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    if (pair.a != nullptr && pair.b != nullptr) continue;
    const TensorInfo& one = pair.a != nullptr ? *pair.a : *pair.b;
    find(one.name.where, one.subject(), "has no matching {other} tensor",
         {{"other", Word{pair.a != nullptr ? kLoraB : kLoraA}}});
  }
}

constexpr Rule kRanksAgree = {
    "lora-ranks-agree",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The two matrices of a LoRA adapter shall have the same rank.",
    "The matrices are multiplied; llama.cpp rejects the adapter, or aborts "
    "when the adapter is used.",
    "Convert the adapter again; adapters from llama.cpp's former finetune "
    "program are transposed.",
    "Not in the specification; llama.cpp throws \"lora_a tensor is not "
    "transposed\"."};

void RanksAgree(const Model& model, Finder& find) {
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    if (pair.a == nullptr || pair.b == nullptr) continue;
    const uint64_t of_a = DimOf(*pair.a, pair.is_embedding ? 0 : 1);
    const uint64_t of_b = DimOf(*pair.b, 0);
    if (of_a == of_b) continue;
    find(pair.b->at_dims(), "have rank {b}, but {other} has rank {a}",
         {{"b", of_b}, {"other", pair.a->name.value}, {"a", of_a}});
  }
}

constexpr Rule kExpertsAgree = {
    "lora-experts-agree",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The two matrices of a LoRA adapter shall have the same number of experts "
    "and no fourth dimension.",
    "llama.cpp looks up an expert in both matrices without a bounds check, and "
    "writes out of bounds (llama.cpp #29128).",
    "Convert the adapter again.",
    "Not in the specification; ggml's matrix multiplication for experts "
    "(ggml_mul_mat_id) uses the model's number of experts."};

void ExpertsAgree(const Model& model, Finder& find) {
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    for (const TensorInfo* tensor : {pair.a, pair.b}) {
      if (tensor == nullptr || DimOf(*tensor, 3) == 1) continue;
      find(tensor->at_dims(), "have a fourth dimension, {dim}",
           {{"dim", DimOf(*tensor, 3)}});
    }
    if (pair.a == nullptr || pair.b == nullptr) continue;
    const uint64_t of_a = DimOf(*pair.a, 2), of_b = DimOf(*pair.b, 2);
    if (of_a == of_b) continue;
    find(pair.b->at_dims(), "have {b} experts, but {other} has {a}",
         {{"b", of_b}, {"other", pair.a->name.value}, {"a", of_a}});
  }
}

constexpr Requirement kOnlyLora = OnlyKind<GgufKind::kLora>;

constexpr Check kChecks[] = {
    {&kTensorNamed, Needs::kTensors, TensorNamed, kOnlyLora},
    {&kNormUnused, Needs::kTensors, NormUnused, kOnlyLora},
    {&kTensorsPaired, Needs::kTensors, TensorsPaired, kOnlyLora},
    {&kRanksAgree, Needs::kTensors, RanksAgree, kOnlyLora},
    {&kExpertsAgree, Needs::kTensors, ExpertsAgree, kOnlyLora},
};

}  // namespace

absl::Span<const Check> LoraChecks() { return kChecks; }

}  // namespace gguf
