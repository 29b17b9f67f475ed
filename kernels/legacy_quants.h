// Reference kernels of the first generation of quantized types: 32 weights that
// share a scale.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_LEGACY_QUANTS_H_
#define GGUF_KERNELS_LEGACY_QUANTS_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1.
absl::Span<const Kernel> LegacyQuants();

}  // namespace gguf

#endif  // GGUF_KERNELS_LEGACY_QUANTS_H_
