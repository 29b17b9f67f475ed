// Checks of the tensors of a control vector: a direction for each layer that it
// steers.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/judged.h"

namespace gguf {
namespace {

constexpr Rule kDirectionNamed = {
    "control-vector-direction-named",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "Every tensor of a control vector shall be named direction.N, where N is "
    "the number of its layer, at least 1.",
    "llama.cpp rejects the file, or uses only the digits before the first "
    "character that is not a digit.",
    "Name the tensors direction.1, direction.2 and so on; layer 0 has no "
    "direction.",
    "Not in the specification; llama.cpp's control vector loader reports "
    "\"invalid/unparsable direction tensor layer index\" or \"invalid (zero) "
    "direction tensor layer index\"."};

void DirectionNamed(const Model& model, Finder& find) {
  for (const TensorInfo& tensor : model.file.tensors) {
    if (DirectionLayer(tensor.name.value).value_or(0) >= 1) continue;
    find(tensor.name.where, tensor.subject(),
         "is not named direction.N with N of at least 1", {});
  }
}

constexpr Rule kLayerPlausible = {
    "control-vector-layer-plausible",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "The number of a direction's layer shall be at most 512.",
    "llama.cpp allocates memory for all layers up to that number, computes the "
    "size in 32 bits, and writes past the end of the buffer when the size "
    "wraps.",
    "Name the tensor after the number of its layer.",
    "Not in the specification; llama.cpp accepts models of at most 512 "
    "blocks."};

void LayerPlausible(const Model& model, Finder& find) {
  for (const TensorInfo& tensor : model.file.tensors) {
    const auto layer = DirectionLayer(tensor.name.value);
    if (!layer || *layer <= kMostBlocks) continue;
    find(tensor.name.where, tensor.subject(),
         "is for layer {layer}, which is more than {most}",
         {{"layer", *layer}, {"most", kMostBlocks}});
  }
}

constexpr Rule kDirectionType = {
    "control-vector-type-f32",
    Severities().Upload(kError).LlamaCpp(kError),
    "The directions of a control vector shall be F32.",
    "llama.cpp rejects directions of any other type.",
    "Convert the directions to F32.",
    "Not in the specification; llama.cpp reports \"invalid (non-F32) direction "
    "tensor type\"."};

void DirectionType(const Model& model, Finder& find) {
  for (const TensorInfo& tensor : model.file.tensors) ExpectF32(tensor, find);
}

bool IsVector(const TensorInfo& tensor) {
  for (uint32_t dim = 1; dim < tensor.rank(); ++dim) {
    if (tensor.dims[dim] != 1) return false;
  }
  return true;
}

constexpr Rule kDirectionVector = {
    "control-vector-one-dimension",
    Severities().Upload(kError).LlamaCpp(kError),
    "The directions of a control vector shall have one dimension.",
    "llama.cpp rejects directions with more dimensions.",
    "Write one vector for each layer.",
    "Not in the specification; llama.cpp reports \"invalid (non-1D) direction "
    "tensor shape\"."};

void DirectionVector(const Model& model, Finder& find) {
  for (const TensorInfo& tensor : model.file.tensors) {
    if (IsVector(tensor)) continue;
    find(tensor.at_dims(), "have more than one dimension that is not 1", {});
  }
}

constexpr Rule kLengthsEqual = {
    "control-vector-lengths-equal",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "All directions of a control vector shall have the same length.",
    "Each direction has the embedding length of the model; llama.cpp rejects a "
    "file with directions of different lengths.",
    "Write vectors for different models to separate files.",
    "Not in the specification; llama.cpp reports \"direction tensor in ... "
    "does not match previous dimensions\"."};

void LengthsEqual(const Model& model, Finder& find) {
  const TensorInfo* first = nullptr;
  for (const TensorInfo& tensor : model.file.tensors) {
    if (!IsVector(tensor) || tensor.rank() == 0) continue;
    if (first == nullptr) first = &tensor;
    if (tensor.dims[0] == first->dims[0]) continue;
    find(tensor.at_dims(),
         "have length {length}, but {first} has length {expected}",
         {{"length", tensor.dims[0]},
          {"first", first->name.value},
          {"expected", first->dims[0]}});
  }
}

constexpr Requirement kOnlyVectors = OnlyKind<GgufKind::kControlVector>;

constexpr Check kChecks[] = {
    {&kDirectionNamed, Needs::kTensors, DirectionNamed, kOnlyVectors},
    {&kLayerPlausible, Needs::kTensors, LayerPlausible, kOnlyVectors},
    {&kDirectionType, Needs::kTensors, DirectionType, kOnlyVectors},
    {&kDirectionVector, Needs::kTensors, DirectionVector, kOnlyVectors},
    {&kLengthsEqual, Needs::kTensors, LengthsEqual, kOnlyVectors},
};

}  // namespace

absl::Span<const Check> ControlVectorChecks() { return kChecks; }

}  // namespace gguf
