// Converts the blocks of big-endian files.
//
// Such a file stores every number of a block with its highest byte first;
// single bytes, and the bits in them, are unchanged.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_ENDIAN_H_
#define GGUF_KERNELS_ENDIAN_H_

#include <cstddef>
#include <cstdint>

#include "parser/core/tensor_type.h"

namespace gguf {

// Converts `n_blocks` blocks of a big-endian file to little endian, or the
// reverse.  Reads and writes n_blocks * block_bytes bytes; source and
// destination may be the same but must not overlap otherwise.  The type must
// have `fields` (parser/core/tensor_type.h).
void SwapBlocks(TensorType type, const uint8_t* blocks, size_t n_blocks,
                uint8_t* swapped);

}  // namespace gguf

#endif  // GGUF_KERNELS_ENDIAN_H_
