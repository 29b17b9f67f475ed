// Fast kernels of the iq types, for the processor at hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_IQ_QUANTS_SIMD_H_
#define GGUF_KERNELS_IQ_QUANTS_SIMD_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// IQ1_S IQ1_M IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S IQ4_NL IQ4_XS.
absl::Span<const Kernel> IqQuantsSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_IQ_QUANTS_SIMD_H_
