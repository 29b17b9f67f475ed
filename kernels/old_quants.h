// Reference kernels of the blocks that only GGUF's ancestors have.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_OLD_QUANTS_H_
#define GGUF_KERNELS_OLD_QUANTS_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

// All of OldTensorTypes().
absl::Span<const Kernel> OldQuants();

}  // namespace gguf

#endif  // GGUF_KERNELS_OLD_QUANTS_H_
