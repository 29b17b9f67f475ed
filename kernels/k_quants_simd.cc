// Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K: fast kernels, equal to k_quants.cc.
//
// k_quants.cc explains the formats.
//
// SPDX-License-Identifier: Apache-2.0

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/k_quants_simd.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

// Row `row` of half a Q2_K block: 16 weights for each of its two columns.
template <int row>
HWY_INLINE void Q2_KRow(ByteVec left, ByteVec right, const float* scale, const float* offset,
                        float* weights) {
  constexpr int g = 2 * row;
  StoreScaledPlus(MoveBits<2 * row, 0>(left, 3), AllFloats(scale[g]), AllFloats(offset[g]),
                  weights + 32 * row);
  StoreScaledPlus(MoveBits<2 * row, 0>(right, 3), AllFloats(scale[g + 1]), AllFloats(offset[g + 1]),
                  weights + 32 * row + 16);
}

HWY_INLINE void Q2_K(const uint8_t* block, float* weights) {
  alignas(64) float scale[16];
  alignas(64) float offset[16];  // Negated.
  const ByteVec scales = Load16(block);
  StoreScaled(Lo(scales), AllF16(block + 80), scale);
  StoreScaled(Hi(scales), hn::Neg(AllF16(block + 82)), offset);
  for (int half = 0; half < 2; ++half) {
    const ByteVec left = Load16(block + 16 + 32 * half);
    const ByteVec right = Load16(block + 32 + 32 * half);
    const float* const s = scale + 8 * half;
    const float* const o = offset + 8 * half;
    Q2_KRow<0>(left, right, s, o, weights + 128 * half);
    Q2_KRow<1>(left, right, s, o, weights + 128 * half);
    Q2_KRow<2>(left, right, s, o, weights + 128 * half);
    Q2_KRow<3>(left, right, s, o, weights + 128 * half);
  }
}

// Row `row` of a column of half a Q3_K block.  Bit `row` of `high` is bit 2.
template <int row>
HWY_INLINE void Q3_KRow(ByteVec low, ByteVec high, const float* scale, float* weights) {
  const ByteVec quants = hn::Or(MoveBits<2 * row, 0>(low, 3), MoveBits<row, 2>(high, 4));
  StoreScaled(Less(quants, 4), AllFloats(scale[2 * row]), weights + 32 * row);
}

HWY_INLINE void Q3_K(const uint8_t* block, float* weights) {
  const uint64_t low = LoadUnsigned<uint64_t>(block + 96, Endian::kLittle);
  const uint64_t high = LoadUnsigned<uint32_t>(block + 104, Endian::kLittle);
  const uint64_t both = high | (high >> 2) << 32;  // Bits 4, 5 of scales 0..7.
  constexpr uint64_t kNibbles = 0x0F0F0F0F0F0F0F0F;
  constexpr uint64_t kPairs = 0x0303030303030303;
  const ByteVec scales = FromU64((low & kNibbles) | (both & kPairs) << 4,
                                 (low >> 4 & kNibbles) | (both >> 4 & kPairs) << 4);
  alignas(64) float scale[16];
  StoreScaled(Less(scales, 32), AllF16(block + 108), scale);

  for (int column = 0; column < 2; ++column) {
    const ByteVec hmask = Load16(block + 16 * column);
    for (int half = 0; half < 2; ++half) {
      const ByteVec q = Load16(block + 32 + 32 * half + 16 * column);
      const ByteVec h = half == 0 ? hmask : MoveBits<4, 0>(hmask, 15);
      const float* const s = scale + 8 * half + column;
      float* const w = weights + 128 * half + 16 * column;
      Q3_KRow<0>(q, h, s, w);
      Q3_KRow<1>(q, h, s, w);
      Q3_KRow<2>(q, h, s, w);
      Q3_KRow<3>(q, h, s, w);
    }
  }
}

// The 8 scales and 8 negated offsets of a Q4_K or Q5_K block.
struct ScalesAndOffsets {
  alignas(64) float scale[16];   // The first 8 are used,
  alignas(64) float offset[16];  // and here the last 8.
};

HWY_INLINE void UnpackScales(const uint8_t* block, ScalesAndOffsets* out) {
  const uint32_t a = LoadUnsigned<uint32_t>(block + 4, Endian::kLittle);
  const uint32_t b = LoadUnsigned<uint32_t>(block + 8, Endian::kLittle);
  const uint32_t c = LoadUnsigned<uint32_t>(block + 12, Endian::kLittle);
  constexpr uint32_t kSix = 0x3F3F3F3F;
  constexpr uint32_t kFour = 0x0F0F0F0F;
  constexpr uint32_t kUpperTwo = 0x30303030;
  const uint64_t scales_4_to_7 = (c & kFour) | (a >> 2 & kUpperTwo);
  const uint64_t offsets_4_to_7 = (c >> 4 & kFour) | (b >> 2 & kUpperTwo);
  const ByteVec packed =
      FromU64((a & kSix) | scales_4_to_7 << 32, (b & kSix) | offsets_4_to_7 << 32);
  StoreScaled(packed, AllF16(block), out->scale);
  StoreScaled(packed, hn::Neg(AllF16(block + 2)), out->offset);
}

HWY_INLINE void Q4_K(const uint8_t* block, float* weights) {
  ScalesAndOffsets s;
  UnpackScales(block, &s);
  for (int group = 0; group < 8; group += 2) {
    const FloatVec scale0 = AllFloats(s.scale[group]);
    const FloatVec offset0 = AllFloats(s.offset[8 + group]);
    const FloatVec scale1 = AllFloats(s.scale[group + 1]);
    const FloatVec offset1 = AllFloats(s.offset[9 + group]);
    for (int column = 0; column < 32; column += 16) {
      float* const w = weights + 32 * group + column;
      StoreNibblesPlus(block + 16 + 16 * group + column, scale0, offset0, w, scale1, offset1,
                       w + 32);
    }
  }
}

// Groups `group` and `group` + 1 of a Q5_K block, which share bytes.
template <int group>
HWY_INLINE void Q5_KPair(const uint8_t* block, const ScalesAndOffsets& s, float* weights) {
  const FloatVec scale0 = AllFloats(s.scale[group]);
  const FloatVec offset0 = AllFloats(s.offset[8 + group]);
  const FloatVec scale1 = AllFloats(s.scale[group + 1]);
  const FloatVec offset1 = AllFloats(s.offset[9 + group]);
  for (int column = 0; column < 32; column += 16) {
    const ByteVec qs = Load16(block + 48 + 16 * group + column);
    const ByteVec qh = Load16(block + 16 + column);
    const ByteVec q0 = hn::Or(Lo(qs), MoveBits<group, 4>(qh, 16));
    const ByteVec q1 = hn::Or(Hi(qs), MoveBits<group + 1, 4>(qh, 16));
    float* const w = weights + 32 * group + column;
    StoreScaledPlus(q0, scale0, offset0, w);
    StoreScaledPlus(q1, scale1, offset1, w + 32);
  }
}

HWY_INLINE void Q5_K(const uint8_t* block, float* weights) {
  ScalesAndOffsets s;
  UnpackScales(block, &s);
  Q5_KPair<0>(block, s, weights);
  Q5_KPair<2>(block, s, weights);
  Q5_KPair<4>(block, s, weights);
  Q5_KPair<6>(block, s, weights);
}

// The four rows of a column of half a Q6_K block.  The bytes of the upper row
// have the quants of rows 0 and 2, those of the lower row the others.
HWY_INLINE void Q6_KColumn(const uint8_t* ql, const uint8_t* qh, const float* scale,
                           float* weights) {
  const ByteVec upper = Load16(ql);
  const ByteVec lower = Load16(ql + 32);
  const ByteVec high = Load16(qh);
  const ByteVec q0 = hn::Or(Lo(upper), MoveBits<0, 4>(high, 0x30));
  const ByteVec q1 = hn::Or(Lo(lower), MoveBits<2, 4>(high, 0x30));
  const ByteVec q2 = hn::Or(Hi(upper), MoveBits<4, 4>(high, 0x30));
  const ByteVec q3 = hn::Or(Hi(lower), MoveBits<6, 4>(high, 0x30));
  StoreScaled(Less(q0, 32), AllFloats(scale[0]), weights);
  StoreScaled(Less(q1, 32), AllFloats(scale[2]), weights + 32);
  StoreScaled(Less(q2, 32), AllFloats(scale[4]), weights + 64);
  StoreScaled(Less(q3, 32), AllFloats(scale[6]), weights + 96);
}

HWY_INLINE void Q6_K(const uint8_t* block, float* weights) {
  alignas(64) float scale[16];
  StoreScaled(AsInts(Load16(block + 192)), AllF16(block + 208), scale);
  for (int half = 0; half < 2; ++half) {
    for (int column = 0; column < 2; ++column) {
      Q6_KColumn(block + 64 * half + 16 * column, block + 128 + 32 * half + 16 * column,
                 scale + 8 * half + column, weights + 128 * half + 16 * column);
    }
  }
}

HWY_INLINE void Q8_K(const uint8_t* block, float* weights) {
  const FloatVec d = AllFloats(FloatFromBits(LoadUnsigned<uint32_t>(block, Endian::kLittle)));
  for (int i = 0; i < 256; i += 16) {
    StoreScaled(AsInts(Load16(block + 4 + i)), d, weights + i);
  }
}

constexpr Kernel kRows[] = {
    Simd<TensorType::kQ2_K, Q2_K>(), Simd<TensorType::kQ3_K, Q3_K>(),
    Simd<TensorType::kQ4_K, Q4_K>(), Simd<TensorType::kQ5_K, Q5_K>(),
    Simd<TensorType::kQ6_K, Q6_K>(), Simd<TensorType::kQ8_K, Q8_K>(),
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY KQuantsSimd
#include "kernels/simd_family-inl.h"
