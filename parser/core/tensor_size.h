// How many elements and bytes a tensor's shape and type stand for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_TENSOR_SIZE_H_
#define GGUF_PARSER_CORE_TENSOR_SIZE_H_

#include <cstdint>
#include <optional>

#include "parser/core/file.h"

namespace gguf {

// The product of the dimensions; 1 for a scalar.  Nothing when there are more
// than four, or when a dimension, or the product with every zero counted as 1,
// does not fit into a signed 64-bit number.  (Counting zeros as 1 keeps
// [0, 2^62, 2^62] from passing as an empty tensor.)
std::optional<uint64_t> ElementCount(const TensorInfo& tensor);

// Whether a row, the first dimension, is a whole number of blocks.  True for a
// type that is not known.
bool HasWholeBlocks(const TensorInfo& tensor);

// The bytes of the tensor's data, without padding.  Nothing when the type is
// unknown, a row is not whole blocks, ElementCount() is nothing, or the bytes,
// padded to `alignment`, do not fit into 64 bits.
std::optional<uint64_t> ByteSize(const TensorInfo& tensor, uint64_t alignment);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_TENSOR_SIZE_H_
