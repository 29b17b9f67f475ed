// Judges the types of tensors, and pairs those of a LoRA adapter.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/companions/companion_tensors.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/base/name_hash.h"
#include "parser/tensor_type.h"

namespace gguf {

void ExpectF32(const TensorInfo& tensor, Finder& find) {
  const TensorTypeInfo* type = tensor.type_info();
  if (type == nullptr || type->id == static_cast<uint32_t>(TensorType::kF32)) {
    return;
  }
  find(tensor.at_type(), "is {type}, not F32", {{"type", Trusted{type->name}}});
}

LoraTensors LoraPairs(const Model& model) {
  LoraTensors found;
  NameMap<size_t> places;
  for (const TensorInfo& tensor : model.file.tensors) {
    absl::string_view base = tensor.name.value;
    const bool is_a = absl::ConsumeSuffix(&base, kLoraA);
    if (!is_a && !absl::ConsumeSuffix(&base, kLoraB)) {
      found.others.push_back(&tensor);
      continue;
    }
    const auto [place, is_new] = places.emplace(base, found.pairs.size());
    if (is_new) {
      found.pairs.push_back({base, absl::EndsWith(base, "token_embd.weight")});
    }
    LoraPair& pair = found.pairs[place->second];
    const TensorInfo*& member = is_a ? pair.a : pair.b;
    if (member == nullptr) member = &tensor;
  }
  return found;
}

bool IsNorm(const TensorInfo& tensor) { return absl::EndsWith(tensor.name.value, "_norm.weight"); }

namespace {

// Returns how often an encoder makes vectors of the length of `output`.
uint64_t OutputsOf(const Model& model, const ProjectorType& type, const TensorInfo& output) {
  uint64_t outputs = 1;
  if (*type.more == 0) return outputs;
  for (int64_t i = 0; i < kMostBlocks; ++i) {
    const TensorInfo* tensor = model.FindTensor(model.hparams().Expand(type.more, i));
    if (tensor != nullptr && tensor != &output) ++outputs;
  }
  return outputs;
}

}  // namespace

std::optional<uint64_t> ProjectorWidth::Total() const {
  uint64_t total;
  if (__builtin_mul_overflow(length, outputs, &total)) return std::nullopt;
  return total;
}

std::optional<ProjectorWidth> WidthOf(const Model& model, const Encoder& encoder) {
  if (encoder.row == nullptr || *encoder.row->output == 0) return std::nullopt;
  const TensorInfo* tensor = model.FindTensor(encoder.row->output);
  if (tensor == nullptr) return std::nullopt;
  return ProjectorWidth{tensor, DimOf(*tensor, static_cast<uint32_t>(encoder.row->dim)),
                        OutputsOf(model, *encoder.row, *tensor)};
}

}  // namespace gguf
