// The tensors of a LoRA adapter: two low-rank matrices, A and B, for each
// tensor of the base that it adapts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged.h"
#include "conformance/rules/companions/lora_pairs.h"
#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/tensor_facts.h"

namespace gguf {
namespace {

constexpr Rule kTensorNamed = {
    "lora-tensor-named",
    Severities().Upload(kError).LlamaCpp(kError),
    Since("0.1.0"),
    "Every tensor of a LoRA adapter shall be named after a tensor of the base, "
    "with .lora_a or .lora_b behind it.",
    "llama.cpp refuses an adapter with a tensor of another name; norms alone "
    "it passes over.",
    "Convert the adapter again; tensors that were trained whole belong into a "
    "merged model.",
    "No norm: llama.cpp throws \"LoRA tensor '...' has unexpected suffix\"."};

void TensorNamed(const Model& model, Finder& find) {
  for (const TensorInfo* tensor : LoraPairs(model).others) {
    if (IsNorm(*tensor)) continue;
    find(tensor->name.where, tensor->subject(),
         "ends neither with .lora_a nor with .lora_b", {});
  }
}

constexpr Rule kNormUnused = {
    "lora-norm-unused",
    Severities().Upload(kNote).LlamaCpp(kNote),
    Since("0.1.0"),
    "A LoRA adapter should not have norms of its own.",
    "llama.cpp passes over them, so the model is not the one that was trained.",
    "Merge the adapter into its base, norms included.",
    "No norm: llama.cpp's loader of adapters skips names that end with "
    "_norm.weight."};

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
    Since("0.1.0"),
    "A LoRA adapter shall have both matrices, .lora_a and .lora_b, of each "
    "tensor that it adapts.",
    "llama.cpp refuses the adapter.",
    "Convert the adapter again.",
    "No norm: llama.cpp throws \"LoRA tensor pair for '...' is missing one "
    "component\"."};

void TensorsPaired(const Model& model, Finder& find) {
  if (model.file.progress < Progress::kTensors) return;  // It may be behind.
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    if (pair.a != nullptr && pair.b != nullptr) continue;
    const TensorInfo& one = pair.a != nullptr ? *pair.a : *pair.b;
    find(one.name.where, one.subject(), "has no {other} beside it",
         {{"other", Word{pair.a != nullptr ? kLoraB : kLoraA}}});
  }
}

constexpr Rule kRanksAgree = {
    "lora-ranks-agree",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    Since("0.1.0"),
    "The two matrices of a LoRA adapter shall have the same rank.",
    "They are multiplied; llama.cpp refuses the adapter, or ends the program "
    "when it is used.",
    "Convert the adapter again; adapters of llama.cpp's former finetune "
    "program are transposed.",
    "No norm: llama.cpp throws \"lora_a tensor is not transposed\"."};

void RanksAgree(const Model& model, Finder& find) {
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    if (pair.a == nullptr || pair.b == nullptr) continue;
    const uint64_t of_a = DimOf(*pair.a, pair.is_embedding ? 0 : 1);
    const uint64_t of_b = DimOf(*pair.b, 0);
    if (of_a == of_b) continue;
    find(pair.b->dims_where(), pair.b->subject().Of("dims"),
         "are of rank {b}, but those of {other} are of rank {a}",
         {{"b", of_b}, {"other", pair.a->name.value}, {"a", of_a}});
  }
}

constexpr Rule kExpertsAgree = {
    "lora-experts-agree",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    Since("0.1.0"),
    "The two matrices of a LoRA adapter shall be for the same number of "
    "experts, and have no further dimension.",
    "llama.cpp looks up an expert in both without asking how many there are, "
    "and writes outside of its memory (llama.cpp 29128).",
    "Convert the adapter again.",
    "No norm: ggml's multiplication by experts goes by the model's number."};

void ExpertsAgree(const Model& model, Finder& find) {
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    for (const TensorInfo* tensor : {pair.a, pair.b}) {
      if (tensor == nullptr || DimOf(*tensor, 3) == 1) continue;
      find(tensor->dims_where(), tensor->subject().Of("dims"),
           "have a fourth one, {dim}", {{"dim", DimOf(*tensor, 3)}});
    }
    if (pair.a == nullptr || pair.b == nullptr) continue;
    const uint64_t of_a = DimOf(*pair.a, 2), of_b = DimOf(*pair.b, 2);
    if (of_a == of_b) continue;
    find(pair.b->dims_where(), pair.b->subject().Of("dims"),
         "are for {b} experts, but those of {other} for {a}",
         {{"b", of_b}, {"other", pair.a->name.value}, {"a", of_a}});
  }
}

constexpr Check kChecks[] = {
    {&kTensorNamed, Needs::kTensors, TensorNamed, OnlyKind<GgufKind::kLora>},
    {&kNormUnused, Needs::kTensors, NormUnused, OnlyKind<GgufKind::kLora>},
    {&kTensorsPaired, Needs::kTensors, TensorsPaired,
     OnlyKind<GgufKind::kLora>},
    {&kRanksAgree, Needs::kTensors, RanksAgree, OnlyKind<GgufKind::kLora>},
    {&kExpertsAgree, Needs::kTensors, ExpertsAgree, OnlyKind<GgufKind::kLora>},
};

}  // namespace

absl::Span<const Check> LoraChecks() { return kChecks; }

}  // namespace gguf
