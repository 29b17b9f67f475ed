// F16 BF16: fast kernels, equal to plain.cc.
//
// F64, the integers and F32 cannot be made faster than in plain.cc.
//
// SPDX-License-Identifier: Apache-2.0

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/plain_simd.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

// Four vectors at a time, then the rest one by one.
template <FloatVec (*load)(const uint8_t*), float (*convert)(uint16_t)>
void Halves(const uint8_t* numbers, size_t n, float* weights) {
  size_t i = 0;
  for (; i + 4 * kFloats <= n; i += 4 * kFloats) {
    for (size_t k = i; k < i + 4 * kFloats; k += kFloats) {
      hn::StoreU(load(numbers + 2 * k), Floats(), weights + k);
    }
  }
  for (; i < n; ++i) {
    weights[i] = convert(LoadUnsigned<uint16_t>(numbers + 2 * i, Endian::kLittle));
  }
}

constexpr Kernel kRows[] = {
    {TensorType::kF16, "simd", Halves<LoadHalves, F16ToFloat>},
    {TensorType::kBF16, "simd", Halves<LoadUpperHalves, Bf16ToFloat>},
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY PlainTypesSimd
#include "kernels/simd_family-inl.h"
