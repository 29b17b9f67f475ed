// Fast kernels of the 4-bit float types, for the processor at hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_FP4_QUANTS_SIMD_H_
#define GGUF_KERNELS_FP4_QUANTS_SIMD_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// MXFP4 NVFP4.
absl::Span<const Kernel> Fp4QuantsSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_FP4_QUANTS_SIMD_H_
