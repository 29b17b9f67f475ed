// The blocks of big-endian files.
//
// Such a file stores every number of a block with its highest byte first;
// single bytes, and bits inside them, stay as they are.  Which bytes make one
// number is read off how ggml loads them on a big-endian processor.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_ENDIAN_H_
#define GGUF_KERNELS_ENDIAN_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "parser/tensor_type.h"

namespace gguf {

// `count` numbers of `width` bytes (1, 2, 4 or 8), one after another.
struct NumberRun {
  uint16_t count;
  uint16_t width;
};

// A block from its first byte to its last, as runs of numbers.  Empty when the
// type has no kernel.
absl::Span<const NumberRun> BlockNumbers(TensorType type);

// Writes `n_blocks` blocks of a big-endian file as a little-endian file has
// them; it does the reverse as well.  Reads and writes n_blocks * block_bytes
// bytes, which may be the same but must not overlap otherwise.  The type must
// be one that BlockNumbers() knows.
void SwapBlocks(TensorType type, const uint8_t* blocks, size_t n_blocks,
                uint8_t* swapped);

}  // namespace gguf

#endif  // GGUF_KERNELS_ENDIAN_H_
