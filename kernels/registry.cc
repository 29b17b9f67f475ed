// Lists the families.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"

#include <iterator>

#include "conformance/base/bytes.h"

namespace gguf {
namespace {

// A family's rows depend on the processor, so they are requested each time.
using Family = absl::Span<const Kernel> (*)();

constexpr Family kFamilies[] = {
    PlainTypes,   LegacyQuants,     KQuants,        IqQuants,         LowBitQuants,
    Fp4Quants,    OldQuants,        PlainTypesSimd, LegacyQuantsSimd, KQuantsSimd,
    IqQuantsSimd, LowBitQuantsSimd, Fp4QuantsSimd,
};

// The others load numbers as a little-endian host stores them.
constexpr size_t kReferences = 7;

absl::Span<const Family> Families() {
  const bool all = kHostEndian == Endian::kLittle;
  return {kFamilies, all ? std::size(kFamilies) : kReferences};
}

}  // namespace

std::vector<Kernel> AllKernels() {
  std::vector<Kernel> kernels;
  for (const Family family : Families()) {
    const absl::Span<const Kernel> rows = family();
    kernels.insert(kernels.end(), rows.begin(), rows.end());
  }
  return kernels;
}

const Kernel* FindKernel(TensorType type, absl::string_view variant) {
  for (const Family family : Families()) {
    for (const Kernel& kernel : family()) {
      if (kernel.type == type && kernel.variant == variant) return &kernel;
    }
  }
  return nullptr;
}

const Kernel* BestKernel(TensorType type) {
  const Kernel* const simd = FindKernel(type, "simd");
  return simd != nullptr ? simd : FindKernel(type, "reference");
}

}  // namespace gguf
