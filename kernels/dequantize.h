// Dequantize: the checked door to the kernels.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_DEQUANTIZE_H_
#define GGUF_KERNELS_DEQUANTIZE_H_

#include <optional>
#include <string>

#include "absl/types/span.h"
#include "parser/core/byte_order.h"
#include "parser/core/bytes.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// Writes the weights of `blocks`, in order, with the fastest kernel of `type`.
// `endian` is that of the file the blocks are from.
//
// Returns nothing when it did; else why not, with the numbers, and `weights` is
// untouched.  It refuses
//   - a type that has no kernel (removed or unknown ids; any value may be
//   given),
//   - `blocks` that are not whole blocks,
//   - `weights` that are not exactly as many as the blocks hold.
// Bytes are never refused: a scale may well be infinite or NaN.
//
// `blocks` and `weights` must not overlap.
std::optional<std::string> Dequantize(TensorType type, Bytes blocks,
                                      absl::Span<float> weights, Endian endian);

}  // namespace gguf

#endif  // GGUF_KERNELS_DEQUANTIZE_H_
