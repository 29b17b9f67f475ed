// Kernel: a function that turns the blocks of one tensor type into floats.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_KERNEL_H_
#define GGUF_KERNELS_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "parser/core/tensor_type.h"

namespace gguf {

// Reads `n_blocks` little-endian blocks that stand one after another, and
// writes the weights of each, in order.  How many bytes and weights a block has
// is in parser/core/tensor_type.h.  Neither pointer need be aligned; they must not
// overlap.
//
// A kernel checks nothing and touches nothing else.  Dequantize()
// (dequantize.h) is the door that checks.
using DequantizeBlocks = void (*)(const uint8_t* blocks, size_t n_blocks,
                                  float* weights);

// A row of a family's table (for example LegacyQuants()).
struct Kernel {
  TensorType type;

  // "reference": the plain function whose comment is the format.
  // "simd": its faster sibling for this processor; equal weights, bit for bit,
  // but any NaN stands for any other.
  const char* variant;

  DequantizeBlocks dequantize;
};

// Makes a row's function of a function for one block.
template <TensorType type, void (*block_function)(const uint8_t*, float*)>
void EachBlock(const uint8_t* blocks, size_t n_blocks, float* weights) {
  const TensorTypeInfo& info = GetTensorType(type);
  for (size_t i = 0; i < n_blocks; ++i) {
    block_function(blocks, weights);
    blocks += info.block_bytes;
    weights += info.block_elements;
  }
}

template <TensorType type, void (*block_function)(const uint8_t*, float*)>
constexpr Kernel Reference() {
  return {type, "reference", EachBlock<type, block_function>};
}

}  // namespace gguf

#endif  // GGUF_KERNELS_KERNEL_H_
