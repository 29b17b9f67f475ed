// Counts the parameters and types of the tensors of a model.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_

#include <cstdint>
#include <optional>

#include "conformance/model/tensor_table.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// Returns the number of elements of all tensors; nothing if it exceeds 64 bits.
std::optional<uint64_t> CountParameters(const TensorTable& tensors);

// The most frequent type of the matrices whose rows could have one of the
// requested types.  Quantizers do not change vectors, and give rows that are
// not whole blocks another type.
struct Majority {
  const TensorTypeInfo* type = nullptr;  // Null without such a matrix.
  uint64_t tensors = 0;                  // Of that type.
  uint64_t asked = 0;                    // Of the requested types.
  uint64_t of = 0;                       // All counted tensors.
  // Whether a requested type has the most tensors or the most elements.
  bool as_asked = false;
};

// `types` has a bit for each id of a tensor type.
Majority MostTensors(const TensorTable& tensors, uint64_t types);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_
