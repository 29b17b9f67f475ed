// The weight scan: are all weights finite, judged by as few bytes as can be.
//
// For most types the scale alone decides: a finite f16 times a small integer is
// a finite float.  So only the scales are read, and a block is dequantized only
// where a finite scale can still make an infinite weight (MXFP4, Q8_K).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_WEIGHT_SCAN_H_
#define GGUF_KERNELS_WEIGHT_SCAN_H_

#include <cstdint>

#include "parser/core/byte_order.h"
#include "parser/core/bytes.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// What is wrong with some blocks that stand one after another.
struct WeightFaults {
  // Blocks of which a scale or a minimum is NaN or infinite, and the index of
  // the first.  NVFP4's and MXFP4's scales have a NaN of their own, which ggml
  // reads as a number.
  uint64_t bad_scales = 0;
  uint64_t first_bad_scale = 0;

  // Weights of other blocks that are NaN or infinite, and the index of the
  // first, counted in elements.
  uint64_t bad_weights = 0;
  uint64_t first_bad_weight = 0;

  bool none() const { return bad_scales == 0 && bad_weights == 0; }

  // Adds the faults of other blocks of the same type, the first of which is
  // block number `begin`.  The order does not matter.
  void Add(const WeightFaults& other, uint64_t begin, uint32_t block_elements);
};

// Scans whole blocks of a living type.  Integers have no faults.
WeightFaults ScanWeights(TensorType type, Bytes blocks, Endian endian);

// The bytes of a block, counted from its first, in which the first bad scale
// stands.  The block has one.
Range BadScale(TensorType type, const uint8_t* block, Endian endian);

}  // namespace gguf

#endif  // GGUF_KERNELS_WEIGHT_SCAN_H_
