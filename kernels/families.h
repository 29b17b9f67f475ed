// The families of kernels: each is a table of rows in the .cc file of its name.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_FAMILIES_H_
#define GGUF_KERNELS_FAMILIES_H_

#include "absl/types/span.h"
#include "kernels/kernel.h"

namespace gguf {

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

#endif  // GGUF_KERNELS_FAMILIES_H_
