// The end of each family of fast kernels.  Defines GGUF_SIMD_FAMILY, a function
// of registry.h that returns the kRows of the processor's target.
//
// Included once for each target of Highway.
//
// SPDX-License-Identifier: Apache-2.0

#include "hwy/highway.h"
#include "kernels/registry.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
constexpr absl::Span<const Kernel> kRows;  // No vectors, no rows.
#endif

absl::Span<const Kernel> Rows() { return kRows; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gguf {
namespace {

HWY_EXPORT(Rows);

}  // namespace

// Only the source of the family includes this file.
// NOLINTNEXTLINE(misc-definitions-in-headers)
absl::Span<const Kernel> GGUF_SIMD_FAMILY() { return HWY_DYNAMIC_DISPATCH(Rows)(); }

}  // namespace gguf
#endif  // HWY_ONCE
