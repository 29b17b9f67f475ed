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

// Converts one vector of f16 to floats.
HWY_INLINE FloatVec LoadHalves(const uint8_t* numbers) {
  const hn::Rebind<uint16_t, Floats> d16;
  const auto halves = hn::BitCast(
      d16, hn::LoadU(hn::Repartition<uint8_t, decltype(d16)>(), numbers));
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86 && !defined(HWY_DISABLE_F16C)
  return hn::PromoteTo(
      Floats(), hn::BitCast(hn::Rebind<hwy::float16_t, Floats>(), halves));
#else
  // Like F16ToFloat; Highway's own conversion does not handle infinities here.
  const hn::RebindToUnsigned<Floats> d32;
  const auto half = hn::PromoteTo(d32, halves);
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(d32, 0x8000)));
  const auto magnitude = hn::And(half, hn::Set(d32, 0x7FFF));
  const auto rebias = hn::Set(d32, 112u << 23);
  const auto normal = hn::Add(hn::ShiftLeft<13>(magnitude), rebias);
  const auto special = hn::Add(normal, rebias);
  const auto above_half = hn::Or(magnitude, hn::Set(d32, 126u << 23));
  const auto subnormal = hn::BitCast(
      d32, hn::Sub(hn::BitCast(Floats(), above_half), AllFloats(0.5f)));
  const auto larger =
      hn::IfThenElse(hn::Gt(magnitude, hn::Set(d32, 0x7BFF)), special, normal);
  const auto bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d32, 0x0400)),
                                   subnormal, larger);
  return hn::BitCast(Floats(), hn::Or(bits, sign));
#endif
}

// Converts one vector of bf16 to floats.
HWY_INLINE FloatVec LoadUpperHalves(const uint8_t* numbers) {
  const hn::Rebind<uint16_t, Floats> d16;
  const hn::RebindToUnsigned<Floats> d32;
  const auto halves = hn::BitCast(
      d16, hn::LoadU(hn::Repartition<uint8_t, decltype(d16)>(), numbers));
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(d32, halves)));
}

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
    weights[i] =
        convert(LoadUnsigned<uint16_t>(numbers + 2 * i, Endian::kLittle));
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
