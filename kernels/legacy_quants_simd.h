// Fast kernels of the first generation of quantized types, for the processor at
// hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_LEGACY_QUANTS_SIMD_H_
#define GGUF_KERNELS_LEGACY_QUANTS_SIMD_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1.
absl::Span<const Kernel> LegacyQuantsSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_LEGACY_QUANTS_SIMD_H_
