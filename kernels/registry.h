// The registry: all kernels, and the families that they come from.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_REGISTRY_H_
#define GGUF_KERNELS_REGISTRY_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/kernel.h"
#include "parser/tensor_type.h"

namespace gguf {

// Returns every row of every family, references first.
std::vector<Kernel> AllKernels();

// Returns the row of this type and variant, or null.  Rows live forever.
const Kernel* FindKernel(TensorType type, absl::string_view variant);

// Returns the fastest row of this type, or null.
const Kernel* BestKernel(TensorType type);

// The families: each is a table of rows in the .cc file of its name.

// The reference kernels.

absl::Span<const Kernel> PlainTypes();
absl::Span<const Kernel> LegacyQuants();  // The first generation.
absl::Span<const Kernel> KQuants();
absl::Span<const Kernel> IqQuants();
absl::Span<const Kernel> LowBitQuants();
absl::Span<const Kernel> Fp4Quants();
absl::Span<const Kernel> OldQuants();  // All of OldTensorTypes().

// The fast kernels, for the processor that the program runs on.

absl::Span<const Kernel> PlainTypesSimd();
absl::Span<const Kernel> LegacyQuantsSimd();
absl::Span<const Kernel> KQuantsSimd();
absl::Span<const Kernel> IqQuantsSimd();
absl::Span<const Kernel> LowBitQuantsSimd();
absl::Span<const Kernel> Fp4QuantsSimd();

}  // namespace gguf

#endif  // GGUF_KERNELS_REGISTRY_H_
