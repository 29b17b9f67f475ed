// The number of elements and bytes of a tensor, from its shape and type.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_TENSOR_SIZE_H_
#define GGUF_PARSER_CORE_TENSOR_SIZE_H_

#include <cstdint>
#include <optional>

#include "parser/core/file.h"

namespace gguf {

// Returns the product of the dimensions; 1 for a scalar.  Returns nothing if
// there are more than four, or if a dimension, or the product with every zero
// counted as 1, does not fit into a signed 64-bit number.  (Counting zeros as 1
// keeps [0, 2^62, 2^62] from passing as an empty tensor.)
std::optional<uint64_t> ElementCount(const TensorInfo& tensor);

// Returns whether a row, the first dimension, is a whole number of blocks. True
// for an unknown type.
bool HasWholeBlocks(const TensorInfo& tensor);

// Returns the size of the tensor's data in bytes, without padding.  Returns
// nothing if the type is unknown, a row is not whole blocks, ElementCount() is
// nothing, or the size, padded to `alignment`, does not fit into 64 bits.
std::optional<uint64_t> ByteSize(const TensorInfo& tensor, uint64_t alignment);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_TENSOR_SIZE_H_
