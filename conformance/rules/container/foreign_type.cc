// Measures tensors against the types of foreign_types.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/container/foreign_type.h"

#include <algorithm>

#include "conformance/base/bytes.h"
#include "parser/tensor_type.h"

namespace gguf {

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

std::vector<ForeignLayout> FindForeignLayouts(const File& file) {
  std::vector<ForeignLayout> found;
  if (file.progress < Progress::kTensors || !file.alignment_known) return found;
  for (const SizedType& type : ForeignTypes()) {
    if (FindTensorType(type.id) == nullptr) continue;
    std::vector<uint64_t> spans;
    ForeignLayout layout = {&type, nullptr, 0};
    bool fits_own = true, fits_foreign = true;
    for (const TensorInfo& tensor : file.tensors) {
      if (tensor.type.value != type.id) continue;
      if (layout.first == nullptr) {
        layout.first = &tensor;
        spans = MeasureSpans(file);
      }
      ++layout.tensors;
      const uint64_t span = spans[tensor.index];
      fits_own &= FitsSpan(file, tensor.bytes, span);
      fits_foreign &= FitsSpan(file, SizeInBlocks(tensor, type.blocks), span);
    }
    if (layout.first != nullptr && !fits_own && fits_foreign) {
      found.push_back(layout);
    }
  }
  return found;
}

}  // namespace gguf
