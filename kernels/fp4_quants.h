// Reference kernels of the 4-bit float types.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_FP4_QUANTS_H_
#define GGUF_KERNELS_FP4_QUANTS_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// MXFP4 NVFP4.
absl::Span<const Kernel> Fp4Quants();

}  // namespace gguf

#endif  // GGUF_KERNELS_FP4_QUANTS_H_
