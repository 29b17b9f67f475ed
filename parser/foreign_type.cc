// Measures tensors against the types of foreign_types.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/foreign_type.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "conformance/base/bytes.h"
#include "parser/tensor_type.h"

namespace gguf {

absl::Span<const SizedType> ForeignTypesOf(uint32_t id) {
  const std::vector<SizedType>& all = ForeignTypes();
  const auto begin = std::lower_bound(
      all.begin(), all.end(), id, [](const SizedType& type, uint32_t of) { return type.id < of; });
  size_t count = 0;
  while (begin + count != all.end() && (begin + count)->id == id) ++count;
  return absl::MakeConstSpan(all).subspan(begin - all.begin(), count);
}

ScaleFields ScalesOf(const SizedType& type) {
  // In the order of ForeignTypes().
  constexpr ScaleFields kScales[] = {
#include "parser/foreign_scales.inc"
  };
  return type.program.empty() ? ScaleFields() : kScales[&type - ForeignTypes().data()];
}

std::vector<uint64_t> MeasureSpans(const File& file) {
  std::vector<uint64_t> offsets;
  for (const TensorInfo& tensor : file.tensors) {
    offsets.push_back(tensor.offset.value);
  }
  offsets.push_back(file.size - std::min(file.size, file.data_begin));
  std::sort(offsets.begin(), offsets.end());
  std::vector<uint64_t> spans;
  for (const TensorInfo& tensor : file.tensors) {
    const uint64_t offset = tensor.offset.value;
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), offset);
    spans.push_back(next == offsets.end() ? 0 : *next - offset);
  }
  return spans;
}

bool FitsSpan(const File& file, std::optional<uint64_t> size, uint64_t span) {
  return size && *size <= span && span - *size < file.alignment;
}

namespace {

// Returns the sizes of all tensors of an id if they have this type, or llama.cpp's if it is null;
// nothing if a tensor does not have that size.
std::optional<std::vector<uint64_t>> SizesThatFit(const File& file,
                                                  const std::vector<uint64_t>& spans, uint32_t id,
                                                  const SizedType* type) {
  std::vector<uint64_t> sizes;
  for (TensorInfo tensor : file.tensors) {
    if (tensor.type.value != id) continue;
    tensor.sized = type;
    const auto size = ByteSize(tensor, file.alignment);
    if (!FitsSpan(file, size, spans[tensor.index])) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

const SizedType* Choose(const File& file, uint32_t id, std::vector<uint64_t>* spans) {
  const absl::Span<const SizedType> claims = ForeignTypesOf(id);
  const TensorTypeInfo* const own = FindTensorType(id);
  const bool is_of_llama_cpp = own != nullptr;
  // A single tensor of a damaged file may have another type's size by chance.
  const size_t fewest = is_of_llama_cpp && own->removed == nullptr ? 2 : 1;
  if (claims.empty()) return nullptr;
  if (claims.size() == 1 && !is_of_llama_cpp) return claims.data();
  if (!file.alignment_known || file.progress < Progress::kTensors) return nullptr;
  if (spans->empty()) *spans = MeasureSpans(file);
  if (is_of_llama_cpp && SizesThatFit(file, *spans, id, nullptr)) return nullptr;
  const SizedType* chosen = nullptr;
  std::optional<std::vector<uint64_t>> chosen_sizes;
  for (const SizedType& claim : claims) {
    auto sizes = SizesThatFit(file, *spans, id, &claim);
    if (!sizes || sizes->size() < fewest) continue;
    if (chosen != nullptr && sizes != chosen_sizes) return nullptr;
    if (chosen != nullptr) continue;
    chosen = &claim;
    chosen_sizes = std::move(sizes);
  }
  return chosen;
}

}  // namespace

void ChooseSizedTypes(File* file) {
  std::vector<uint64_t> spans;
  std::map<uint32_t, const SizedType*> types;  // Of the ids that were met.
  for (TensorInfo& tensor : file->tensors) {
    const uint32_t id = tensor.type.value;
    const bool may_be_own = tensor.type_info() == nullptr && file->own_types != nullptr;
    if (!may_be_own && ForeignTypesOf(id).empty()) continue;
    const auto [type, is_new] = types.try_emplace(id, nullptr);
    if (is_new) {
      const SizedType* const own = FindSizedType(file->own_types.get(), id);
      const bool is_own = own != nullptr && own->program.empty();
      type->second = is_own ? own : Choose(*file, id, &spans);
    }
    if (type->second == nullptr) continue;
    tensor.sized = type->second;
    tensor.bytes = ByteSize(tensor, file->alignment);
  }
}

}  // namespace gguf
