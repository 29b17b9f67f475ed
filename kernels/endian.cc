// Byte swapping.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/endian.h"

#include <algorithm>

#include "parser/core/assert.h"

namespace gguf {

void SwapBlocks(TensorType type, const uint8_t* blocks, size_t n_blocks,
                uint8_t* swapped) {
  const absl::Span<const NumberRun> runs = GetTensorType(type).fields;
  Assert(!runs.empty(), "SwapBlocks: a type without a layout");
  const size_t n_bytes = n_blocks * GetTensorType(type).block_bytes;
  if (swapped != blocks) std::copy_n(blocks, n_bytes, swapped);
  const uint8_t* const end = swapped + n_bytes;
  while (swapped < end) {
    for (const NumberRun& run : runs) {
      for (int i = 0; i < run.count; ++i, swapped += run.width) {
        std::reverse(swapped, swapped + run.width);
      }
    }
  }
}

}  // namespace gguf
