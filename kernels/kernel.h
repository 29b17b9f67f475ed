// Kernel: a function that converts the blocks of one tensor type to floats.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_KERNEL_H_
#define GGUF_KERNELS_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "parser/tensor_type.h"

namespace gguf {

// Reads `n_blocks` consecutive little-endian blocks and writes the weights of
// each, in order.  The numbers of bytes and weights in a block are in
// parser/tensor_type.h.  The pointers need not be aligned; the ranges must
// not overlap.
//
// A kernel checks nothing and accesses nothing else.  Dequantize()
// (dequantize.h) checks the arguments.
using DequantizeBlocks = void (*)(const uint8_t* blocks, size_t n_blocks, float* weights);

// A row of a family's table (for example LegacyQuants()).
struct Kernel {
  TensorType type;

  // "reference": the plain function whose comment is the format.
  // "simd": the fast kernel for this processor; its weights are equal bit for
  // bit, except that any NaN equals any other.
  const char* variant;

  DequantizeBlocks dequantize;
};

// Makes a row's function from a function for one block.
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
