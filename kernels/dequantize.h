// Dequantize: checks its arguments and runs a kernel; Dequantizer, the same for
// many calls; and SwapBlocks, which converts the blocks of big-endian files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_DEQUANTIZE_H_
#define GGUF_KERNELS_DEQUANTIZE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "conformance/base/bytes.h"
#include "parser/tensor_type.h"

namespace gguf {

struct Kernel;

// Writes the weights of `blocks`, in order, with the fastest kernel of `type`.
// `endian` is the byte order of the file with the blocks.
//
// Returns nothing on success; otherwise an error message with the numbers, and
// `weights` is unchanged.  It rejects
//   - a type that has no kernel (removed or unknown ids; any value may be
//   given),
//   - `blocks` that are not whole blocks,
//   - `weights` that are not exactly as many as the blocks hold.
// Bytes are never rejected: a scale may be infinite or NaN.
//
// `blocks` and `weights` must not overlap.
std::optional<std::string> Dequantize(TensorType type, Bytes blocks, absl::Span<float> weights,
                                      Endian endian);

// Dequantize() for a type and a byte order.  Looks for the kernel only once,
// which takes as long as the dequantization of some hundred weights.
class Dequantizer {
 public:
  Dequantizer(TensorType type, Endian endian);

  std::optional<std::string> operator()(Bytes blocks, absl::Span<float> weights) const;

 private:
  const TensorType type_;
  const Endian endian_;
  const Kernel* const kernel_;  // Null if there is none.
};

// Converts `n_blocks` blocks of a big-endian file to little endian, or the
// reverse.  Such a file stores every number of a block with its highest byte
// first; single bytes, and the bits in them, are unchanged.
//
// Reads and writes n_blocks * block_bytes bytes; source and destination may be
// the same but must not overlap otherwise.  The type must have `fields`
// (parser/tensor_type.h).
void SwapBlocks(TensorType type, const uint8_t* blocks, size_t n_blocks, uint8_t* swapped);

}  // namespace gguf

#endif  // GGUF_KERNELS_DEQUANTIZE_H_
