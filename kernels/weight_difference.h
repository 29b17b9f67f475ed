// CompareWeights, SumMagnitudes: how far the weights of one tensor are from
// those of another.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_WEIGHT_DIFFERENCE_H_
#define GGUF_KERNELS_WEIGHT_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>

#include "conformance/base/bytes.h"
#include "parser/tensor_type.h"

namespace gguf {

// The weights of a group: most types have a scale for each, or for half of it.
inline constexpr size_t kComparedGroup = 32;

// Sums over one block of two tensors.
struct BlockDifference {
  float error;   // Of (origin - file)^2.
  float origin;  // Of origin^2.
  float file;    // Of file^2.
  // Of the largest origin^2 of each group.  The step of a quantizer is
  // proportional to the largest weight of a group.
  float peaks;
};

// Returns whether CompareWeights() accepts an origin of this type and byte
// order: F32, F16, BF16 and Q8_0 in the order of this machine, all but F32 on
// little-endian machines only.
bool IsComparedAsStored(TensorType type, Endian endian);

// Compares `n_blocks` blocks of `block` consecutive weights, which is a
// multiple of kComparedGroup.  `origin` are bytes of a type that
// IsComparedAsStored().  Returns the largest |origin - file|.  If a weight is
// not finite, the `error` of its block is not either, and the other results
// mean nothing.
float CompareWeights(TensorType origin_type, const uint8_t* origin, const float* file, size_t block,
                     size_t n_blocks, BlockDifference* blocks);

// Sums over one group of two tensors.
struct GroupMagnitudes {
  float origin;    // Of |origin|.
  float file;      // Of |file|.
  float products;  // Of |origin * file|.
  float squares;   // Of origin^2.
};

// Sums the magnitudes of `n_groups` groups, of an origin as in CompareWeights().
void SumMagnitudes(TensorType origin_type, const uint8_t* origin, const float* file,
                   size_t n_groups, GroupMagnitudes* groups);

}  // namespace gguf

#endif  // GGUF_KERNELS_WEIGHT_DIFFERENCE_H_
