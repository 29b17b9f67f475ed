// Reference kernels of the types that are stored number by number.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_PLAIN_H_
#define GGUF_KERNELS_PLAIN_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// F32 F16 BF16 F64 I8 I16 I32 I64.  F64, I32 and I64 are rounded to the nearest
// float, ties to even; an F64 beyond the floats becomes an infinity.
absl::Span<const Kernel> PlainTypes();

}  // namespace gguf

#endif  // GGUF_KERNELS_PLAIN_H_
