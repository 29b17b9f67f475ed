// IQ1_S IQ1_M IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S IQ4_NL IQ4_XS: fast kernels,
// equal to iq_quants.cc.
//
// iq_quants.cc explains the formats.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/iq_quants_simd.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/iq_codebooks.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE uint32_t LoadU32(const uint8_t* bytes) {
  return LoadUnsigned<uint32_t>(bytes, Endian::kLittle);
}

HWY_INLINE uint64_t LoadU64(const uint8_t* bytes) {
  return LoadUnsigned<uint64_t>(bytes, Endian::kLittle);
}

// Two consecutive entries of 8 weights.
HWY_INLINE IntVec TwoEntries(const int8_t* first, const int8_t* second) {
  const hn::FixedTag<int8_t, 8> d;
  return hn::Combine(Int16s(), hn::LoadU(d, second), hn::LoadU(d, first));
}

// Two entries of 4 weights.
HWY_INLINE uint64_t TwoSmallEntries(const int8_t* first, const int8_t* second) {
  uint32_t low, high;
  std::memcpy(&low, first, sizeof low);
  std::memcpy(&high, second, sizeof high);
  return low | static_cast<uint64_t>(high) << 32;
}

// Negates the codes whose bits are set in the two bytes at `signs`.
HWY_INLINE IntVec Negated(IntVec codes, const uint8_t* signs) {
  return hn::IfThenElse(hn::LoadMaskBits(Int16s(), signs), hn::Neg(codes), codes);
}

// EvenSigns for each byte of seven bits; the same, by bytes.
HWY_INLINE uint32_t FourEvenSigns(uint32_t sevens) {
  uint32_t fold = sevens ^ (sevens >> 4);
  fold ^= fold >> 2;
  fold ^= fold >> 1;
  return sevens | (fold & 0x01010101) << 7;
}

// The signs of 32 weights, in four groups of seven bits.
HWY_INLINE uint32_t SignsOfAux(uint32_t aux) {
  return FourEvenSigns((aux & 0x7F) | (aux << 1 & 0x7F00) | (aux << 2 & 0x7F0000) |
                       (aux << 3 & 0x7F000000));
}

// scale[i] = unit * (2 s + 1), for the nibbles s of 8 bytes, lo before hi.
HWY_INLINE void NibbleScales(uint64_t bytes, FloatVec unit, float* scale) {
  constexpr uint64_t kNibbles = 0x0F0F0F0F0F0F0F0F;
  const ByteVec low = FromU64(bytes & kNibbles, 0);
  const ByteVec high = FromU64(bytes >> 4 & kNibbles, 0);
  const ByteVec s = hn::InterleaveLower(Bytes16(), low, high);
  StoreScaled(hn::Add(hn::Add(s, s), AllBytes(1)), unit, scale);
}

// Two entries of the first code book, shifted by the eighths `by`.
HWY_INLINE IntVec ShiftedEntries(uint32_t first, uint32_t second, IntVec by) {
  return hn::Add(TwoEntries(kIq1Book.entry[first], kIq1Book.entry[second]), by);
}

HWY_INLINE void IQ1_S(const uint8_t* block, float* weights) {
  const hn::FixedTag<uint16_t, 8> d16;
  const FloatVec d_eighth = hn::Mul(AllF16(block), AllFloats(0.125f));
  const auto all_qh = hn::BitCast(d16, Load16(block + 34));
  const auto twice = hn::And(hn::ShiftRight<11>(all_qh), hn::Set(d16, 14));
  alignas(64) float scale[8];
  StoreScaled(hn::Add(twice, hn::Set(d16, 1)), d_eighth, scale);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 4 * group;
    const uint32_t qh = LoadUnsigned<uint16_t>(block + 34 + 2 * group, Endian::kLittle);
    const IntVec by = hn::Set(Int16s(), static_cast<int8_t>(1 - static_cast<int>(qh >> 14 & 2)));
    float* const w = weights + 32 * group;
    StoreScaled(ShiftedEntries(qs[0] | (qh << 8 & 0x700), qs[1] | (qh << 5 & 0x700), by),
                AllFloats(scale[group]), w);
    StoreScaled(ShiftedEntries(qs[2] | (qh << 2 & 0x700), qs[3] | (qh >> 1 & 0x700), by),
                AllFloats(scale[group]), w + 16);
  }
}

// 1 in eight bytes, or -1.
constexpr uint64_t kEightOnes[2] = {0x0101010101010101, ~uint64_t{0}};

// Spreads the eight 3-bit fields in the lower 12 bits of two u16 to one byte
// each.
HWY_INLINE uint64_t SpreadThrees(uint64_t two) {
  two = (two | two << 16) & 0x00000FFF00000FFF;
  two = (two | two << 10) & 0x003F003F003F003F;
  return (two | two << 5) & 0x0707070707070707;
}

HWY_INLINE void IQ1_M(const uint8_t* block, float* weights) {
  const uint64_t packed = LoadU64(block + 48);
  const uint64_t top = packed >> 12 & 0x000F000F000F000F;
  const uint64_t d_bits = top | top >> 12 | top >> 24 | top >> 36;
  const float d = F16ToFloat(d_bits & 0xFFFF);
  const ByteVec s = FromU64(SpreadThrees(packed & 0xFFFFFFFF), SpreadThrees(packed >> 32));
  alignas(64) float scale[16];
  StoreScaled(hn::Add(hn::Add(s, s), AllBytes(1)), AllFloats(d * 0.125f), scale);

  for (int group = 0; group < 16; ++group) {
    const uint8_t* const qs = block + 2 * group;
    const uint32_t qh = block[32 + group];
    const IntVec by = AsInts(FromU64(kEightOnes[qh >> 3 & 1], kEightOnes[qh >> 7]));
    StoreScaled(ShiftedEntries(qs[0] | (qh << 8 & 0x700), qs[1] | (qh << 4 & 0x700), by),
                AllFloats(scale[group]), weights + 16 * group);
  }
}

HWY_INLINE void IQ2_XXS(const uint8_t* block, float* weights) {
  const float d = LoadF16(block) * 0.125f;
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 8 * group;
    const uint32_t aux = LoadU32(qs + 4);
    const FloatVec scale = AllFloats(d * static_cast<int>(2 * (aux >> 28) + 1));
    const uint32_t signs = SignsOfAux(aux);
    uint8_t sign_bytes[4];
    std::memcpy(sign_bytes, &signs, sizeof signs);
    const auto& entry = kIq2XxsBook.entry;
    float* const w = weights + 32 * group;
    StoreScaled(Negated(TwoEntries(entry[qs[0]], entry[qs[1]]), sign_bytes), scale, w);
    StoreScaled(Negated(TwoEntries(entry[qs[2]], entry[qs[3]]), sign_bytes + 2), scale, w + 16);
  }
}

HWY_INLINE void IQ2_XS(const uint8_t* block, float* weights) {
  alignas(64) float scale[16];
  NibbleScales(LoadU64(block + 66), hn::Mul(AllF16(block), AllFloats(0.125f)), scale);
  for (int group = 0; group < 16; group += 2) {
    const uint64_t q = LoadU64(block + 2 + 4 * group);
    const uint64_t sevens = q >> 9 & 0x007F007F007F007F;
    const uint64_t pairs = sevens | sevens >> 8;
    const uint32_t signs = FourEvenSigns((pairs & 0xFFFF) | (pairs >> 16 & 0xFFFF0000));
    uint8_t sign_bytes[4];
    std::memcpy(sign_bytes, &signs, sizeof signs);
    const auto& entry = kIq2XsBook.entry;
    float* const w = weights + 16 * group;
    StoreScaled(Negated(TwoEntries(entry[q & 511], entry[q >> 16 & 511]), sign_bytes),
                AllFloats(scale[group]), w);
    StoreScaled(Negated(TwoEntries(entry[q >> 32 & 511], entry[q >> 48 & 511]), sign_bytes + 2),
                AllFloats(scale[group + 1]), w + 16);
  }
}

HWY_INLINE void IQ2_S(const uint8_t* block, float* weights) {
  alignas(64) float scale[16];
  NibbleScales(LoadU64(block + 74), hn::Mul(AllF16(block), AllFloats(0.125f)), scale);
  for (int group = 0; group < 16; group += 2) {
    const uint8_t* const qs = block + 2 + 2 * group;
    const uint8_t* const signs = block + 34 + 2 * group;
    const uint32_t qh = block[66 + group / 2];
    const auto& entry = kIq2SBook.entry;
    float* const w = weights + 16 * group;
    StoreScaled(
        Negated(TwoEntries(entry[qs[0] | (qh << 8 & 0x300)], entry[qs[1] | (qh << 6 & 0x300)]),
                signs),
        AllFloats(scale[group]), w);
    StoreScaled(
        Negated(TwoEntries(entry[qs[2] | (qh << 4 & 0x300)], entry[qs[3] | (qh << 2 & 0x300)]),
                signs + 2),
        AllFloats(scale[group + 1]), w + 16);
  }
}

HWY_INLINE void IQ3_XXS(const uint8_t* block, float* weights) {
  const float d = LoadF16(block) * 0.25f;
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 8 * group;
    const uint32_t aux = LoadU32(block + 66 + 4 * group);
    const FloatVec scale = AllFloats(d * static_cast<int>(2 * (aux >> 28) + 1));
    const uint32_t signs = SignsOfAux(aux);
    uint8_t sign_bytes[4];
    std::memcpy(sign_bytes, &signs, sizeof signs);
    const auto& entry = kIq3XxsBook.entry;
    for (int i = 0; i < 2; ++i) {
      const uint8_t* const q = qs + 4 * i;
      const ByteVec codes = FromU64(TwoSmallEntries(entry[q[0]], entry[q[1]]),
                                    TwoSmallEntries(entry[q[2]], entry[q[3]]));
      StoreScaled(Negated(AsInts(codes), sign_bytes + 2 * i), scale, weights + 32 * group + 16 * i);
    }
  }
}

HWY_INLINE void IQ3_S(const uint8_t* block, float* weights) {
  alignas(64) float scale[16];
  NibbleScales(LoadU32(block + 106), AllF16(block), scale);
  for (int group = 0; group < 8; ++group) {
    const uint32_t qh = block[66 + group];
    const FloatVec group_scale = AllFloats(scale[group]);
    const auto& entry = kIq3SBook.entry;
    for (int i = 0; i < 2; ++i) {
      const uint8_t* const q = block + 2 + 8 * group + 4 * i;
      const uint32_t h = qh << (8 - 4 * i);
      const ByteVec codes =
          FromU64(TwoSmallEntries(entry[q[0] | (h & 256)], entry[q[1] | (h >> 1 & 256)]),
                  TwoSmallEntries(entry[q[2] | (h >> 2 & 256)], entry[q[3] | (h >> 3 & 256)]));
      StoreScaled(Negated(AsInts(codes), block + 74 + 4 * group + 2 * i), group_scale,
                  weights + 32 * group + 16 * i);
    }
  }
}

HWY_INLINE void IQ4_NL(const uint8_t* block, float* weights) {
  const IntVec values = hn::LoadU(Int16s(), kIq4Values);
  StoreNibbles(Load16(block + 2), values, AllF16(block), weights);
}

HWY_INLINE void IQ4_XS(const uint8_t* block, float* weights) {
  // Scale g is nibble g of `low` and pair g of `high`; spread to byte g.
  uint64_t low = LoadU32(block + 4);
  low = (low | low << 16) & 0x0000FFFF0000FFFF;
  low = (low | low << 8) & 0x00FF00FF00FF00FF;
  low = (low | low << 4) & 0x0F0F0F0F0F0F0F0F;
  uint64_t high = LoadUnsigned<uint16_t>(block + 2, Endian::kLittle);
  high = (high | high << 24) & 0x000000FF000000FF;
  high = (high | high << 12) & 0x000F000F000F000F;
  high = (high | high << 6) & 0x0303030303030303;
  alignas(64) float scale[16];  // The first 8 are used.
  StoreScaled(Less(FromU64(low | high << 4, 0), 32), AllF16(block), scale);

  const IntVec values = hn::LoadU(Int16s(), kIq4Values);
  for (int group = 0; group < 8; ++group) {
    StoreNibbles(Load16(block + 8 + 16 * group), values, AllFloats(scale[group]),
                 weights + 32 * group);
  }
}

constexpr Kernel kRows[] = {
    Simd<TensorType::kIQ1_S, IQ1_S>(),     Simd<TensorType::kIQ1_M, IQ1_M>(),
    Simd<TensorType::kIQ2_XXS, IQ2_XXS>(), Simd<TensorType::kIQ2_XS, IQ2_XS>(),
    Simd<TensorType::kIQ2_S, IQ2_S>(),     Simd<TensorType::kIQ3_XXS, IQ3_XXS>(),
    Simd<TensorType::kIQ3_S, IQ3_S>(),     Simd<TensorType::kIQ4_NL, IQ4_NL>(),
    Simd<TensorType::kIQ4_XS, IQ4_XS>(),
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY IqQuantsSimd
#include "kernels/simd_family-inl.h"
