// Fast kernels of the k-quants, for the processor at hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_K_QUANTS_SIMD_H_
#define GGUF_KERNELS_K_QUANTS_SIMD_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K.
absl::Span<const Kernel> KQuantsSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_K_QUANTS_SIMD_H_
