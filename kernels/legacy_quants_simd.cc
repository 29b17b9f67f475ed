// Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1: fast kernels, equal to legacy_quants.cc.
//
// legacy_quants.cc explains the formats.
//
// SPDX-License-Identifier: Apache-2.0

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/legacy_quants_simd.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE void Q4_0(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  const ByteVec qs = Load16(block + 2);
  StoreScaled(Less(Lo(qs), 8), d, weights);
  StoreScaled(Less(Hi(qs), 8), d, weights + 16);
}

HWY_INLINE void Q4_1(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  const FloatVec m = AllF16(block + 2);
  StoreNibblesPlus(block + 4, d, m, weights, d, m, weights + 16);
}

HWY_INLINE void Q5_0(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  const ByteVec qs = Load16(block + 6);
  // quant - 16 is the nibble if bit 4 is set; otherwise the nibble with all
  // higher bits set.
  const ByteVec ones = AllBytes(0xF0);
  const ByteVec low = hn::IfThenZeroElse(MaskOfBits(block + 2), ones);
  const ByteVec high = hn::IfThenZeroElse(MaskOfBits(block + 4), ones);
  StoreScaled(AsInts(hn::Or(Lo(qs), low)), d, weights);
  StoreScaled(AsInts(hn::Or(Hi(qs), high)), d, weights + 16);
}

HWY_INLINE void Q5_1(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  const FloatVec m = AllF16(block + 2);
  const ByteVec qs = Load16(block + 8);
  const ByteVec bit4 = AllBytes(16);
  const ByteVec low = hn::IfThenElseZero(MaskOfBits(block + 4), bit4);
  const ByteVec high = hn::IfThenElseZero(MaskOfBits(block + 6), bit4);
  StoreScaledPlus(hn::Or(Lo(qs), low), d, m, weights);
  StoreScaledPlus(hn::Or(Hi(qs), high), d, m, weights + 16);
}

HWY_INLINE void Q8_0(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  StoreScaled(AsInts(Load16(block + 2)), d, weights);
  StoreScaled(AsInts(Load16(block + 18)), d, weights + 16);
}

HWY_INLINE void Q8_1(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  StoreScaled(AsInts(Load16(block + 4)), d, weights);
  StoreScaled(AsInts(Load16(block + 20)), d, weights + 16);
}

constexpr Kernel kRows[] = {
    Simd<TensorType::kQ4_0, Q4_0>(), Simd<TensorType::kQ4_1, Q4_1>(),
    Simd<TensorType::kQ5_0, Q5_0>(), Simd<TensorType::kQ5_1, Q5_1>(),
    Simd<TensorType::kQ8_0, Q8_0>(), Simd<TensorType::kQ8_1, Q8_1>(),
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY LegacyQuantsSimd
#include "kernels/simd_family-inl.h"
