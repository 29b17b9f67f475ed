// Small functions on tensors that several checks use.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_TENSOR_FACTS_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_TENSOR_FACTS_H_

#include <cstdint>

#include "parser/core/file.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// Returns a dimension in file order; 1 for those beyond the tensor's rank.
inline uint64_t DimOf(const TensorInfo& tensor, uint32_t dim) {
  return dim < tensor.rank() ? tensor.dims[dim] : 1;
}

inline bool IsF32(const TensorInfo& tensor) {
  return tensor.type.value == static_cast<uint32_t>(TensorType::kF32);
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_TENSOR_FACTS_H_
