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

// Returns whether one of the types is not a plain float.  `types` has a bit for
// each id of a tensor type.
bool IsQuantized(uint64_t types);

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
  // Whether the counted matrices have half of the elements of all matrices.
  bool is_of_most_elements = false;
  // Whether quantized types were requested and floats have the most matrices
  // and the most elements, or the reverse.
  bool is_other_kind = false;

  // Returns whether the weights have other types than those requested.  If most
  // rows cannot have these, only quantized types and floats are told apart:
  // the quantizer has chosen other types, or kept those of the model.
  bool contradicts() const {
    return type != nullptr && !as_asked && (is_of_most_elements || is_other_kind);
  }
};

Majority MostTensors(const TensorTable& tensors, uint64_t types);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_
