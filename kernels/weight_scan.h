// The weight scan: checks that all weights are finite, reading few bytes.
//
// For most types the scale alone decides: a finite f16 times a small integer is
// a finite float.  Only the scales are read; a block is dequantized only where
// a finite scale can still make an infinite weight (MXFP4, Q8_K).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_WEIGHT_SCAN_H_
#define GGUF_KERNELS_WEIGHT_SCAN_H_

#include <cstdint>

#include "conformance/base/bytes.h"
#include "parser/tensor_type.h"

namespace gguf {

// The faults in some consecutive blocks.
struct WeightFaults {
  // The number of blocks with a scale or minimum that is NaN or infinite, and
  // the index of the first.  Scales of NVFP4 and MXFP4 have their own NaN,
  // which ggml reads as a number.
  uint64_t bad_scales = 0;
  uint64_t first_bad_scale = 0;

  // The number of weights in other blocks that are NaN, or infinite as an f32,
  // and the index of the first, in elements.
  uint64_t bad_weights = 0;
  uint64_t first_bad_weight = 0;

  bool none() const { return bad_scales == 0 && bad_weights == 0; }

  // Adds the faults of other blocks of the same type, which start at block
  // number `begin`.  The order does not matter.
  void Add(const WeightFaults& other, uint64_t begin, uint32_t block_elements);
};

// Scans whole blocks of a current type.  Integers have no faults.
WeightFaults ScanWeights(TensorType type, Bytes blocks, Endian endian);

// Returns whether the number at `at` is NaN or infinite.
bool IsBadNumber(ScaleFormat format, const uint8_t* at, Endian endian);

// Returns the byte range, within a block, of its first bad scale.  The block
// must have one.
Range BadScale(TensorType type, const uint8_t* block, Endian endian);

}  // namespace gguf

#endif  // GGUF_KERNELS_WEIGHT_SCAN_H_
