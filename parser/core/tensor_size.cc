// Multiplies shapes with overflow checks.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/tensor_size.h"

#include <algorithm>

#include "parser/core/checked_math.h"

namespace gguf {

std::optional<uint64_t> ElementCount(const TensorInfo& tensor) {
  constexpr uint64_t kMost = (uint64_t{1} << 63) - 1;
  if (tensor.n_dims.value > kMaxDimensions) return std::nullopt;
  uint64_t product = 1;
  bool empty = false;
  for (uint32_t i = 0; i < tensor.rank(); ++i) {
    const uint64_t dim = tensor.dims[i];
    const auto next = CheckedMultiply(product, std::max<uint64_t>(dim, 1));
    if (dim > kMost || !next || *next > kMost) return std::nullopt;
    product = *next;
    empty |= dim == 0;
  }
  return empty ? 0 : product;
}

bool HasWholeBlocks(const TensorInfo& tensor) {
  const TensorTypeInfo* type = tensor.type_info();
  const uint64_t row = tensor.rank() == 0 ? 1 : tensor.dims[0];
  return type == nullptr || row % type->block_elements == 0;
}

std::optional<uint64_t> ByteSize(const TensorInfo& tensor, uint64_t alignment) {
  const TensorTypeInfo* type = tensor.type_info();
  const auto elements = ElementCount(tensor);
  if (type == nullptr || !elements || !HasWholeBlocks(tensor)) {
    return std::nullopt;
  }
  // Divide first: the product of elements and bytes may wrap.
  const auto bytes = CheckedMultiply(*elements / type->block_elements, type->block_bytes);
  if (!bytes || !CheckedAlignUp(*bytes, alignment)) return std::nullopt;
  return bytes;
}

}  // namespace gguf
