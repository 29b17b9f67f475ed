// F16 BF16 F8_E4M3: fast kernels, equal to plain.cc.
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
template <class Bits, FloatVec (*load)(const uint8_t*), float (*convert)(Bits)>
void Convert(const uint8_t* numbers, size_t n, float* weights) {
  constexpr size_t kBytes = sizeof(Bits);
  size_t i = 0;
  for (; i + 4 * kFloats <= n; i += 4 * kFloats) {
    for (size_t k = i; k < i + 4 * kFloats; k += kFloats) {
      hn::StoreU(load(numbers + kBytes * k), Floats(), weights + k);
    }
  }
  for (; i < n; ++i) {
    weights[i] = convert(LoadUnsigned<Bits>(numbers + kBytes * i, Endian::kLittle));
  }
}

// Like E4m3ToFloat.
HWY_INLINE FloatVec LoadE4m3(const uint8_t* numbers) {
  const hn::Rebind<uint8_t, Floats> d8;
  const hn::RebindToUnsigned<Floats> d32;
  const auto number = hn::PromoteTo(d32, hn::LoadU(d8, numbers));
  const auto magnitude = hn::And(number, hn::Set(d32, 0x7F));
  const auto normal = hn::Add(hn::ShiftLeft<20>(magnitude), hn::Set(d32, 120u << 23));
  const auto above = hn::BitCast(Floats(), hn::Or(magnitude, hn::Set(d32, 141u << 23)));
  const auto subnormal = hn::BitCast(d32, hn::Sub(above, AllFloats(0x1p14f)));
  const auto special =
      hn::IfThenElse(hn::Eq(magnitude, hn::Set(d32, 0x7F)), hn::Set(d32, 0x7FC00000u), normal);
  const auto bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d32, 8)), subnormal, special);
  const auto sign = hn::ShiftLeft<24>(hn::And(number, hn::Set(d32, 0x80)));
  return hn::BitCast(Floats(), hn::Or(bits, sign));
}

constexpr Kernel kRows[] = {
    {TensorType::kF16, "simd", Convert<uint16_t, LoadHalves, F16ToFloat>},
    {TensorType::kBF16, "simd", Convert<uint16_t, LoadUpperHalves, Bf16ToFloat>},
    {TensorType::kF8_E4M3, "simd", Convert<uint8_t, LoadE4m3, E4m3ToFloat>},
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY PlainTypesSimd
#include "kernels/simd_family-inl.h"
