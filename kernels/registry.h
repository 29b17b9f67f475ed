// The registry: every kernel there is.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_REGISTRY_H_
#define GGUF_KERNELS_REGISTRY_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/kernel.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// Every row of every family, references first.
std::vector<Kernel> AllKernels();

// The row of this type and variant; null when there is none.  Rows live
// forever.
const Kernel* FindKernel(TensorType type, absl::string_view variant);

// The fastest row of this type; null when it has none.
const Kernel* BestKernel(TensorType type);

}  // namespace gguf

#endif  // GGUF_KERNELS_REGISTRY_H_
