// The registry: all kernels.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_REGISTRY_H_
#define GGUF_KERNELS_REGISTRY_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/kernel.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// Returns every row of every family, references first.
std::vector<Kernel> AllKernels();

// Returns the row of this type and variant, or null.  Rows live forever.
const Kernel* FindKernel(TensorType type, absl::string_view variant);

// Returns the fastest row of this type, or null.
const Kernel* BestKernel(TensorType type);

}  // namespace gguf

#endif  // GGUF_KERNELS_REGISTRY_H_
