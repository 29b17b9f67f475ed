// TQ1_0 TQ2_0 Q1_0 Q2_0: fast kernels, equal to low_bit_quants.cc.
//
// low_bit_quants.cc explains the formats.
//
// SPDX-License-Identifier: Apache-2.0

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/low_bit_quants_simd.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE ByteVec TimesThree(ByteVec bytes) { return hn::Add(hn::Add(bytes, bytes), bytes); }

// The first base-3 digit of each byte (Trits of the reference), minus one.
// That is 3 * byte / 256, or three quarters of the byte without its lower six
// bits.  The averages round up, so they start slightly lower.
HWY_INLINE IntVec DigitLessOne(ByteVec bytes) {
  const ByteVec below = hn::SaturatedSub(bytes, AllBytes(1));
  const ByteVec half = hn::AverageRound(below, hn::Zero(Bytes16()));
  return Less(MoveBits<6, 0>(hn::AverageRound(below, half), 3), 1);
}

// Writes five digits of 16 bytes; digit n goes to weights[n * stride...].
HWY_INLINE void StoreTrits(ByteVec bytes, FloatVec d, size_t stride, float* weights) {
  for (int digit = 0; digit < 5; ++digit) {
    StoreScaled(DigitLessOne(bytes), d, weights + digit * stride);
    bytes = TimesThree(bytes);
  }
}

HWY_INLINE void TQ1_0(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block + 52);
  StoreTrits(Load16(block), d, 32, weights);
  StoreTrits(Load16(block + 16), d, 32, weights + 16);
  StoreTrits(Load16(block + 32), d, 16, weights + 160);

  // The last 4 bytes, then the same times 3, 9 and 27.
  const hn::Repartition<uint32_t, Bytes16> d32;
  const hn::Repartition<uint64_t, Bytes16> d64;
  const ByteVec x1 =
      hn::BitCast(Bytes16(), hn::Set(d32, LoadUnsigned<uint32_t>(block + 48, Endian::kLittle)));
  const ByteVec x3 = TimesThree(x1);
  const auto x1_x3 = hn::InterleaveLower(d32, hn::BitCast(d32, x1), hn::BitCast(d32, x3));
  const ByteVec nines = TimesThree(TimesThree(hn::BitCast(Bytes16(), x1_x3)));
  const ByteVec all = hn::BitCast(
      Bytes16(), hn::InterleaveLower(d64, hn::BitCast(d64, x1_x3), hn::BitCast(d64, nines)));
  StoreScaled(DigitLessOne(all), d, weights + 240);
}

HWY_INLINE void TQ2_0(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block + 64);
  for (int half = 0; half < 2; ++half) {
    for (int column = 0; column < 32; column += 16) {
      const ByteVec qs = Load16(block + 32 * half + column);
      float* const w = weights + 128 * half + column;
      StoreScaled(Less(MoveBits<0, 0>(qs, 3), 1), d, w);
      StoreScaled(Less(MoveBits<2, 0>(qs, 3), 1), d, w + 32);
      StoreScaled(Less(MoveBits<4, 0>(qs, 3), 1), d, w + 64);
      StoreScaled(Less(MoveBits<6, 0>(qs, 3), 1), d, w + 96);
    }
  }
}

HWY_INLINE void Q1_0(const uint8_t* block, float* weights) {
  const hn::RebindToUnsigned<Floats> d32;
  const auto d = hn::BitCast(d32, AllF16(block));
  for (int i = 0; i < 128; i += 32) {
    const auto bits = hn::Set(d32, LoadUnsigned<uint32_t>(block + 2 + i / 8, Endian::kLittle));
    for (size_t k = 0; k < 32; k += kFloats) {
      const auto mask = hn::Shl(hn::Set(d32, 1), hn::Iota(d32, k));
      const auto is_clear = hn::Eq(hn::And(bits, mask), hn::Zero(d32));
      const auto sign = hn::And(hn::VecFromMask(d32, is_clear), hn::Set(d32, 0x80000000));
      hn::StoreU(hn::BitCast(Floats(), hn::Xor(d, sign)), Floats(), weights + i + k);
    }
  }
}

// SSE has no shifts by lane, and vectors of four floats gain nothing.
#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE

HWY_INLINE void Q2_0(const uint8_t* block, float* weights) {
  const hn::RebindToUnsigned<Floats> d32;
  const auto lane = hn::Iota(d32, 0);
  const auto three = hn::Set(d32, 3);
  // Lane i has the weight of quant i % 4.
  const FloatVec quants =
      hn::ConvertTo(Floats(), hn::BitCast(hn::RebindToSigned<Floats>(), hn::And(lane, three)));
  const FloatVec values = hn::Mul(AllF16(block), hn::Sub(quants, AllFloats(1)));
  for (int i = 0; i < 64; i += 16) {
    const auto bits = hn::Set(d32, LoadUnsigned<uint32_t>(block + 2 + i / 4, Endian::kLittle));
    for (size_t k = 0; k < 16; k += kFloats) {
      const auto by = hn::ShiftLeft<1>(hn::Iota(d32, k));
      const auto quant = hn::And(hn::Shr(bits, by), three);
      hn::StoreU(LookUp(values, quant), Floats(), weights + i + k);
    }
  }
}

#else

HWY_INLINE void Q2_0(const uint8_t* block, float* weights) {
  const FloatVec d = AllF16(block);
  const ByteVec qs = Load16(block + 2);
  const ByteVec q0 = MoveBits<0, 0>(qs, 3);
  const ByteVec q1 = MoveBits<2, 0>(qs, 3);
  const ByteVec q2 = MoveBits<4, 0>(qs, 3);
  const ByteVec q3 = MoveBits<6, 0>(qs, 3);

  // Transposes: from quant k of all bytes to the four quants of each byte.
  const Bytes16 d8;
  const hn::Repartition<uint16_t, Bytes16> d16;
  const auto low01 = hn::BitCast(d16, hn::InterleaveLower(d8, q0, q1));
  const auto low23 = hn::BitCast(d16, hn::InterleaveLower(d8, q2, q3));
  const auto high01 = hn::BitCast(d16, hn::InterleaveUpper(d8, q0, q1));
  const auto high23 = hn::BitCast(d16, hn::InterleaveUpper(d8, q2, q3));
  const auto a = hn::BitCast(d8, hn::InterleaveLower(d16, low01, low23));
  const auto b = hn::BitCast(d8, hn::InterleaveUpper(d16, low01, low23));
  const auto c = hn::BitCast(d8, hn::InterleaveLower(d16, high01, high23));
  const auto e = hn::BitCast(d8, hn::InterleaveUpper(d16, high01, high23));
  StoreScaled(Less(a, 1), d, weights);
  StoreScaled(Less(b, 1), d, weights + 16);
  StoreScaled(Less(c, 1), d, weights + 32);
  StoreScaled(Less(e, 1), d, weights + 48);
}

#endif  // HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE

constexpr Kernel kRows[] = {
    Simd<TensorType::kTQ1_0, TQ1_0>(),
    Simd<TensorType::kTQ2_0, TQ2_0>(),
    Simd<TensorType::kQ1_0, Q1_0>(),
    Simd<TensorType::kQ2_0, Q2_0>(),
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY LowBitQuantsSimd
#include "kernels/simd_family-inl.h"
