// CompareWeights, ExamineBlock: how far the weights of one tensor are from
// those of another.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_WEIGHT_DIFFERENCE_H_
#define GGUF_KERNELS_WEIGHT_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "parser/core/byte_order.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// The weights of a group: most types have a scale for each, or for half of it.
inline constexpr size_t kComparedGroup = 32;

// Sums over one block of two tensors.
struct BlockDifference {
  float error;  // Of (base - file)^2.
  float base;   // Of base^2.
};

// Returns whether CompareWeights() accepts a base of this type and byte order:
// F32, F16, BF16 and Q8_0 in the order of this machine, all but F32 on
// little-endian machines only.
bool IsComparedAsStored(TensorType type, Endian endian);

// Compares `n_blocks` blocks of `block` consecutive weights, which is a
// multiple of kComparedGroup.  `base` are bytes of a type that
// IsComparedAsStored().  A weight that is not finite makes `error` infinite or
// NaN.
void CompareWeights(TensorType base_type, const uint8_t* base,
                    const float* file, size_t block, size_t n_blocks,
                    BlockDifference* blocks);

// Returns whether a block loses no more than `usual` times its squares.
inline bool IsUsual(const BlockDifference& block, float usual) {
  return block.error <= usual * block.base;
}

// Sums over several blocks.
struct BlockTotals {
  double error = 0, base = 0;  // As BlockDifference.
  double base_squares = 0;     // Of the squares of the blocks' `base`.
  float largest = 0;           // The largest `error`; any number if one is NaN.
  bool are_usual = true;       // Whether each block IsUsual().
};

BlockTotals AddUp(const BlockDifference* blocks, size_t n, float usual);

// All sums of a block, which take twice as long to compute.
struct ExaminedBlock : BlockDifference {
  float file;  // Of file^2.
  // Of the largest base^2 of each group.  The step of a quantizer is
  // proportional to the largest weight of a group.
  float peaks;
  float max_error;  // The largest |base - file|.
};

// Compares one block.  If a weight is not finite, only `error` is meaningful.
ExaminedBlock ExamineBlock(const float* base, const float* file, size_t block);

}  // namespace gguf

#endif  // GGUF_KERNELS_WEIGHT_DIFFERENCE_H_
