// Reference kernels of the k-quants: 256 weights in groups with quantized
// scales.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_K_QUANTS_H_
#define GGUF_KERNELS_K_QUANTS_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K.
absl::Span<const Kernel> KQuants();

}  // namespace gguf

#endif  // GGUF_KERNELS_K_QUANTS_H_
