// Fast kernels of the small plain types, for the processor at hand.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_PLAIN_SIMD_H_
#define GGUF_KERNELS_PLAIN_SIMD_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// F16 BF16.
absl::Span<const Kernel> PlainTypesSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_PLAIN_SIMD_H_
