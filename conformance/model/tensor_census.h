// What the tensors of a model are, all in all: their parameters and their
// types.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_

#include <cstdint>
#include <optional>

#include "conformance/model/tensor_table.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// The elements of all tensors; nothing when they do not fit into 64 bits.
std::optional<uint64_t> CountParameters(const TensorTable& tensors);

// The type that most matrices have, among those whose rows could be of one of
// the types asked for.  Quantizers leave vectors alone, and rows that are not
// whole blocks get another type.
struct Majority {
  const TensorTypeInfo* type = nullptr;  // Null: there is no such matrix.
  uint64_t tensors = 0;                  // Of that type.
  uint64_t asked = 0;                    // Of the types asked for.
  uint64_t of = 0;                       // All that were looked at.
  // Whether a type asked for has the most tensors or the most elements.
  bool as_asked = false;
};

// `types` has a bit for each id of a tensor type.
Majority MostTensors(const TensorTable& tensors, uint64_t types);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_CENSUS_H_
