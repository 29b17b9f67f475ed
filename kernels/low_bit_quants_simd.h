// Fast kernels of the quants of one or two bits without a code book, for the
// processor at hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_LOW_BIT_QUANTS_SIMD_H_
#define GGUF_KERNELS_LOW_BIT_QUANTS_SIMD_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// TQ1_0 TQ2_0 Q1_0 Q2_0.
absl::Span<const Kernel> LowBitQuantsSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_LOW_BIT_QUANTS_SIMD_H_
