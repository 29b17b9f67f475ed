// AddBlocks: the sums of many BlockDifference, and whether all are small.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_BLOCK_SUMS_H_
#define GGUF_KERNELS_BLOCK_SUMS_H_

#include <cstddef>

#include "kernels/weight_difference.h"

namespace gguf {

// Sums over blocks.
struct BlockSums {
  double error = 0, base = 0, file = 0, peaks = 0;
  double base_squares = 0;  // Of the squares of `base`.
};

// A block is small if its error is at most
//
//   min(most_of_base * base, max(of_base * base, of_peaks * peaks)).
struct BlockLimits {
  float most_of_base, of_base, of_peaks;
};

// Adds `n` blocks.  Returns whether each of them is small; not if any of its
// numbers is NaN.
bool AddBlocks(const BlockDifference* blocks, size_t n,
               const BlockLimits& limits, BlockSums* sums);

}  // namespace gguf

#endif  // GGUF_KERNELS_BLOCK_SUMS_H_
