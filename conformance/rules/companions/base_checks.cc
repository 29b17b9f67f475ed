// Checks of an adapter, a control vector or a projector against its base model.
//
// draft_checks.cc has those of draft models.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>

#include "conformance/model/base_model.h"
#include "conformance/model/projector.h"
#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/companions/projector_width.h"
#include "conformance/rules/companions/with_base.h"

namespace gguf {
namespace {

// Returns a number of the base; if it is unknown, records that the rule cannot
// be checked.
std::optional<uint64_t> NumberOf(std::optional<int64_t> number,
                                 absl::string_view why_not, Finder& find) {
  if (number.value_or(-1) >= 0) return static_cast<uint64_t>(*number);
  find.CannotCheck(why_not);
  return std::nullopt;
}

constexpr Rule kArchitecture = {
    "lora-architecture-of-base",
    Severities().Upload(kError).LlamaCpp(kError),
    "A LoRA adapter shall have the architecture of its base.",
    "llama.cpp rejects an adapter whose architecture differs from the model's.",
    "Use the adapter with the model that it was trained on.",
    "Not in the specification; llama.cpp throws \"model arch and LoRA arch "
    "mismatch\"."};

void ArchitectureOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  const KeyValue* kv = model.hparams().architecture_key();
  if (kv == nullptr) return;  // architecture-present.
  if (base.architecture().empty()) {
    return find.CannotCheck("the base has no architecture");
  }
  const absl::string_view name = model.hparams().architecture_name();
  if (name == base.architecture()) return;
  find(kv->at_value(), "is {name}, but the base has {base}",
       {{"name", name}, {"base", base.architecture()}});
}

constexpr Rule kTensorInBase = {
    "lora-tensor-in-base",
    Severities().Upload(kError).LlamaCpp(kError),
    "Every tensor that a LoRA adapter adapts shall exist in its base.",
    "llama.cpp rejects an adapter with a tensor that the base lacks.",
    "Use the adapter with the model that it was trained on.",
    "Not in the specification; llama.cpp throws \"LoRA tensor '...' does not "
    "exist in base model\"."};

void TensorInBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    if (base.FindTensor(pair.base) != nullptr) continue;
    if (!base.why_not_all_tensors().empty()) {
      return find.CannotCheck(base.why_not_all_tensors());
    }
    const TensorInfo& one = pair.a != nullptr ? *pair.a : *pair.b;
    find(one.name.where, one.subject(),
         "adapts {name}, which the base does not have", {{"name", pair.base}});
  }
}

// Reports a dimension of the matrix that differs from the base's.
void ExpectDim(const TensorInfo* matrix, uint32_t dim, const TensorInfo& of,
               uint32_t wanted, absl::string_view format, Finder& find) {
  if (matrix == nullptr || DimOf(*matrix, dim) == DimOf(of, wanted)) return;
  find(matrix->at_dims(), format,
       {{"dim", DimOf(*matrix, dim)},
        {"base", of.name.value},
        {"wanted", DimOf(of, wanted)}});
}

constexpr Rule kShape = {
    "lora-shape-of-base",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The product of the two matrices of a LoRA adapter shall have the shape of "
    "the tensor that they adapt.",
    "The product is added to the tensor; llama.cpp rejects the adapter if the "
    "shapes differ.",
    "Use the adapter with the model that it was trained on.",
    "Not in the specification; llama.cpp throws \"tensor '...' has incorrect "
    "shape\"."};

void ShapeOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  constexpr char kFormat[] =
      "are for a dimension of {dim}, but {base} has {wanted} in the base";
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    const TensorInfo* tensor = base.FindTensor(pair.base);
    if (tensor == nullptr) continue;  // lora-tensor-in-base.
    if (pair.is_embedding) {
      ExpectDim(pair.a, 1, *tensor, 1, kFormat, find);
      ExpectDim(pair.b, 1, *tensor, 0, kFormat, find);
    } else {
      ExpectDim(pair.a, 0, *tensor, 0, kFormat, find);
      ExpectDim(pair.b, 1, *tensor, 1, kFormat, find);
    }
  }
}

constexpr Rule kExperts = {
    "lora-experts-of-base",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The matrices of a LoRA adapter shall have as many experts as the tensor "
    "that they adapt.",
    "llama.cpp uses the base's number of experts and writes out of bounds "
    "(llama.cpp #29128).",
    "Use the adapter with the model that it was trained on.",
    "Not in the specification; ggml's matrix multiplication for experts "
    "(ggml_mul_mat_id) uses the model's number of experts."};

void ExpertsOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  for (const LoraPair& pair : LoraPairs(model).pairs) {
    const TensorInfo* tensor = base.FindTensor(pair.base);
    if (tensor == nullptr) continue;  // lora-tensor-in-base.
    for (const TensorInfo* matrix : {pair.a, pair.b}) {
      ExpectDim(matrix, 2, *tensor, 2,
                "have {dim} experts, but {base} has {wanted} in the base",
                find);
    }
  }
}

constexpr Rule kHint = {
    "control-vector-hint-of-base",
    Severities().Upload(kWarning).LlamaCpp(kNote),
    "controlvector.model_hint should be the architecture of the base.",
    "The directions have no meaning for a different model.",
    "Use the control vector with the model that it was made from.",
    "Not in the specification; llama.cpp's control vector generator writes "
    "this key."};

void HintOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  const KeyValue* kv = model.FindKey("controlvector.model_hint");
  if (kv == nullptr) return;  // kind-keys-usual.
  const auto hint = model.file.String(*kv);
  if (!hint || base.architecture().empty()) {
    return find.CannotCheck("the hint or the base has no architecture");
  }
  if (*hint == base.architecture()) return;
  find(kv->at_value(), "is {hint}, but the architecture of the base is {base}",
       {{"hint", *hint}, {"base", base.architecture()}});
}

constexpr Rule kLength = {
    "control-vector-length-of-base",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The directions of a control vector shall have the embedding length of the "
    "base.",
    "The directions are added to the base's hidden states; llama.cpp rejects "
    "the control vector.",
    "Use the control vector with the model that it was made from.",
    "Not in the specification; llama.cpp reports \"control vector n_embd does "
    "not match model\"."};

void LengthOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  const auto wanted =
      NumberOf(base.embedding_length(),
               "the embedding length of the base is unknown", find);
  if (!wanted) return;
  for (const TensorInfo& tensor : model.file.tensors) {
    if (DimOf(tensor, 0) == *wanted) continue;
    find(tensor.at_dims(),
         "have length {length}, but the embedding length of the base is "
         "{wanted}",
         {{"length", DimOf(tensor, 0)}, {"wanted", *wanted}});
    return;  // control-vector-lengths-equal reports the others.
  }
}

constexpr Rule kLayer = {
    "control-vector-layer-of-base",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "The layers of a control vector should be below the number of blocks of "
    "the base.",
    "llama.cpp ignores directions for layers that do not exist.",
    "Use the control vector with the model that it was made from.",
    "Not in the specification; llama.cpp applies the directions of layers 1 to "
    "block_count - 1."};

void LayerOfBase(const Model& model, Finder& find) {
  const BaseModel& base = *model.base();
  const auto blocks = NumberOf(
      base.blocks(), "the number of blocks of the base is unknown", find);
  if (!blocks) return;
  for (const TensorInfo& tensor : model.file.tensors) {
    const auto layer = DirectionLayer(tensor.name.value);
    if (!layer || *layer < *blocks) continue;
    find(tensor.name.where, tensor.subject(),
         "is for layer {layer}, but the base has {blocks} blocks",
         {{"layer", *layer}, {"blocks", *blocks}});
  }
}

constexpr Rule kProjectorWidth = {
    "projector-width-of-base",
    Severities().Upload(kError).LlamaCpp(kError),
    "The vectors that a projector produces shall have the length of the base's "
    "inputs.",
    "The vectors take the place of token embeddings; llama.cpp refuses a "
    "projector of a different width.",
    "Use the projector that was converted from the same model.",
    "Not in the specification; llama.cpp's mtmd.cpp reports \"mismatch between "
    "text model (n_embd = ...) and mmproj (n_embd = ...)\".",
    Since("0.2.0")};

void ProjectorWidthOfBase(const Model& model, Finder& find) {
  const auto wanted =
      NumberOf(model.base()->input_length(),
               "the length of the base's inputs is unknown", find);
  if (!wanted) return;
  bool is_known = false, is_unknown = false;
  for (const Encoder& encoder : EncodersOf(model)) {
    const auto width = WidthOf(model, encoder);
    (width ? is_known : is_unknown) = true;
    if (!width || width->Total() == *wanted) continue;
    find(width->tensor->at_dims(),
         width->outputs == 1
             ? "make vectors of length {length}, but the inputs of the "
               "base have length {wanted}"
             : "make {outputs} vectors of length {length}, but the "
               "inputs of the base have length {wanted}",
         {{"length", width->length},
          {"outputs", width->outputs},
          {"wanted", *wanted}});
  }
  if (!is_unknown) return;
  is_known ? find.CannotCheckRest(kUnknownWidth)
           : find.CannotCheck(kUnknownWidth);
}

constexpr Requirement kProjectorWithBase = OnlyWithBase<GgufKind::kProjector>;
constexpr Requirement kLoraWithBase = OnlyWithBase<GgufKind::kLora>;
constexpr Requirement kVectorWithBase = OnlyWithBase<GgufKind::kControlVector>;

constexpr Check kChecks[] = {
    {&kArchitecture, Needs::kTensors, ArchitectureOfBase, kLoraWithBase},
    {&kTensorInBase, Needs::kTensors, TensorInBase, kLoraWithBase},
    {&kShape, Needs::kTensors, ShapeOfBase, kLoraWithBase},
    {&kExperts, Needs::kTensors, ExpertsOfBase, kLoraWithBase},
    {&kHint, Needs::kTensors, HintOfBase, kVectorWithBase},
    {&kLength, Needs::kTensors, LengthOfBase, kVectorWithBase},
    {&kLayer, Needs::kTensors, LayerOfBase, kVectorWithBase},
    {&kProjectorWidth, Needs::kTensors, ProjectorWidthOfBase,
     kProjectorWithBase},
};

}  // namespace

absl::Span<const Check> BaseChecks() { return kChecks; }

}  // namespace gguf
