// Judges the types of tensors, and pairs those of a LoRA adapter.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/companions/companion_tensors.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "conformance/base/name_hash.h"
#include "conformance/tables/unadapted_tensors.h"
#include "parser/tensor_type.h"

namespace gguf {

void ExpectF32(const TensorInfo& tensor, Finder& find) {
  const TensorTypeInfo* type = tensor.type_info();
  if (type == nullptr || type->id == static_cast<uint32_t>(TensorType::kF32)) {
    return;
  }
  find(tensor.at_type(), "is {type}, not F32", {{"type", Trusted{type->name}}});
}

std::optional<int64_t> DirectionLayer(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "direction.")) return std::nullopt;
  name = absl::StripLeadingAsciiWhitespace(name);
  const size_t begin = name.find_first_of("+-") == 0 ? 1 : 0;
  const size_t end = std::min(name.find_first_not_of("0123456789", begin), name.size());
  int32_t layer;
  if (!absl::SimpleAtoi(name.substr(0, end), &layer)) return std::nullopt;
  return layer;
}

bool IsAdapted(uint16_t architecture, absl::string_view name) {
  for (const UnadaptedTensor& row : kUnadaptedTensors.Of(architecture)) {
    for (const absl::string_view end : row.names) {
      const bool is_end = end[0] == '.' || end[0] == '_';
      if (is_end ? absl::EndsWith(name, end) : name == end) return false;
    }
  }
  return true;
}

GroupedTensors GroupBySuffix(const Model& model, std::initializer_list<const char*> suffixes) {
  GroupedTensors found;
  NameMap<size_t> places;
  for (const TensorInfo& tensor : model.file.tensors) {
    absl::string_view base = tensor.name.value;
    const auto* const suffix = std::find_if(suffixes.begin(), suffixes.end(), [&](const char* end) {
      return absl::ConsumeSuffix(&base, end);
    });
    if (suffix == suffixes.end()) {
      found.others.push_back(&tensor);
      continue;
    }
    const auto [place, is_new] = places.emplace(base, found.groups.size());
    if (is_new) found.groups.push_back({base});
    const TensorInfo*& part = found.groups[place->second].parts[suffix - suffixes.begin()];
    if (part == nullptr) part = &tensor;
  }
  return found;
}

std::vector<LoraPair> LoraPairs(const Model& model) {
  std::vector<LoraPair> pairs;
  for (const TensorGroup& group : GroupBySuffix(model, {kLoraA, kLoraB}).groups) {
    pairs.push_back({group, absl::EndsWith(group.base, "token_embd.weight"),
                     IsAdapted(model.hparams().architecture(), group.base), group.parts[0],
                     group.parts[1]});
  }
  return pairs;
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

Reason NotOfThisKind(const CheckContext& context) {
  const KindFound& found = context.model.kind();
  if (context.base == nullptr || (HasBase(found.kind) && !found.of_tensors)) {
    return Reason::Silent();
  }
  return {
      "a base applies only to LoRA adapters, control vectors, importance matrices, projectors and "
      "language models that draft for it",
      Reason::kNotAbout};
}

}  // namespace gguf
