// Shared code of the fast kernels: converts packed integers, F16 and BF16 to
// floats.
//
// Compiled once for each target of Highway, into its own namespace.
//
// SPDX-License-Identifier: Apache-2.0

#if defined(GGUF_KERNELS_SIMD_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GGUF_KERNELS_SIMD_BLOCKS_INL_H_
#undef GGUF_KERNELS_SIMD_BLOCKS_INL_H_
#else
#define GGUF_KERNELS_SIMD_BLOCKS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "conformance/base/bytes.h"
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/kernel.h"
#include "parser/tensor_type.h"

// Processors without vectors use the references.
#if HWY_TARGET != HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes are processed 16 at a time, floats one vector at a time, up to 16.
#if HWY_HAVE_SCALABLE
constexpr size_t kFloats = 4;
#else
constexpr size_t kFloats = HWY_MIN(HWY_MAX_BYTES / sizeof(float), 16);
#endif
using Floats = hn::FixedTag<float, kFloats>;
using Bytes16 = hn::FixedTag<uint8_t, 16>;
using Int16s = hn::FixedTag<int8_t, 16>;
using FloatVec = hn::Vec<Floats>;
using ByteVec = hn::Vec<Bytes16>;  // 16 unsigned bytes.
using IntVec = hn::Vec<Int16s>;    // 16 signed bytes.

// ---- Bytes ----

HWY_INLINE ByteVec Load16(const uint8_t* bytes) { return hn::LoadU(Bytes16(), bytes); }

HWY_INLINE ByteVec AllBytes(uint8_t byte) { return hn::Set(Bytes16(), byte); }

HWY_INLINE IntVec AsInts(ByteVec bytes) { return hn::BitCast(Int16s(), bytes); }

// Concatenates the bytes of `low`, lowest first, and those of `high`.
HWY_INLINE ByteVec FromU64(uint64_t low, uint64_t high) {
  const hn::FixedTag<uint64_t, 2> d;
  const hn::Half<decltype(d)> half;
  return hn::BitCast(Bytes16(), hn::Combine(d, hn::Set(half, high), hn::Set(half, low)));
}

// Moves bit `from` of each byte, with its neighbours, to bit `to`, and keeps
// the bits in `mask`.
template <int from, int to>
HWY_INLINE ByteVec MoveBits(ByteVec bytes, uint8_t mask) {
  const auto words = hn::BitCast(hn::Repartition<uint16_t, Bytes16>(), bytes);
  if constexpr (from > to) {
    bytes = hn::BitCast(Bytes16(), hn::ShiftRight<from - to>(words));
  } else if constexpr (from < to) {
    bytes = hn::BitCast(Bytes16(), hn::ShiftLeft<to - from>(words));
  }
  return hn::And(bytes, AllBytes(mask));
}

HWY_INLINE ByteVec Lo(ByteVec bytes) { return MoveBits<0, 0>(bytes, 15); }
HWY_INLINE ByteVec Hi(ByteVec bytes) { return MoveBits<4, 0>(bytes, 15); }

// Returns byte - n, as a signed number.
HWY_INLINE IntVec Less(ByteVec bytes, uint8_t n) { return AsInts(hn::Sub(bytes, AllBytes(n))); }

// Returns a mask: entry j is true if bit j of the two bytes at `bits` is set.
HWY_INLINE hn::Mask<Bytes16> MaskOfBits(const uint8_t* bits) {
  return hn::LoadMaskBits(Bytes16(), bits);
}

// ---- Floats ----

HWY_INLINE FloatVec AllFloats(float value) { return hn::Set(Floats(), value); }

// Converts one vector of f16 to floats.
HWY_INLINE FloatVec LoadHalves(const uint8_t* numbers) {
  const hn::Rebind<uint16_t, Floats> d16;
  const auto halves =
      hn::BitCast(d16, hn::LoadU(hn::Repartition<uint8_t, decltype(d16)>(), numbers));
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86 && !defined(HWY_DISABLE_F16C)
  return hn::PromoteTo(Floats(), hn::BitCast(hn::Rebind<hwy::float16_t, Floats>(), halves));
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
  const auto subnormal =
      hn::BitCast(d32, hn::Sub(hn::BitCast(Floats(), above_half), AllFloats(0.5f)));
  const auto larger = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d32, 0x7BFF)), special, normal);
  const auto bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d32, 0x0400)), subnormal, larger);
  return hn::BitCast(Floats(), hn::Or(bits, sign));
#endif
}

// Converts one vector of bf16 to floats.
HWY_INLINE FloatVec LoadUpperHalves(const uint8_t* numbers) {
#if HWY_TARGET == HWY_AVX2
  // A shuffle of bytes takes less time than a conversion and a shift.
  constexpr uint8_t kZero = 0x80;
  alignas(32) static constexpr uint8_t kFrom[32] = {
      kZero, kZero, 0, 1, kZero, kZero, 2,  3,  kZero, kZero, 4,  5,  kZero, kZero, 6,  7,
      kZero, kZero, 8, 9, kZero, kZero, 10, 11, kZero, kZero, 12, 13, kZero, kZero, 14, 15};
  const hn::Repartition<uint8_t, Floats> d8;
  return hn::BitCast(Floats(),
                     hn::TableLookupBytesOr0(hn::LoadDup128(d8, numbers), hn::Load(d8, kFrom)));
#else
  const hn::Rebind<uint16_t, Floats> d16;
  const hn::RebindToUnsigned<Floats> d32;
  const auto halves =
      hn::BitCast(d16, hn::LoadU(hn::Repartition<uint8_t, decltype(d16)>(), numbers));
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(d32, halves)));
#endif
}

// Returns an f16 at `bytes` in every lane.
HWY_INLINE FloatVec AllF16(const uint8_t* bytes) {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86 && !defined(HWY_DISABLE_F16C)
  const hn::Rebind<uint16_t, Floats> d16;
  const uint16_t half = LoadUnsigned<uint16_t>(bytes, Endian::kLittle);
  return hn::PromoteTo(Floats(),
                       hn::BitCast(hn::Rebind<hwy::float16_t, Floats>(), hn::Set(d16, half)));
#else
  return AllFloats(LoadF16(bytes));
#endif
}

// Computes weights[i] = scale * codes[i] for every code; there are 8 or more.
template <class V>
HWY_INLINE void StoreScaled(V codes, FloatVec scale, float* weights) {
  const hn::DFromV<V> d;
  if constexpr (hn::MaxLanes(d) > kFloats) {
    const hn::Half<decltype(d)> half;
    StoreScaled(hn::LowerHalf(half, codes), scale, weights);
    StoreScaled(hn::UpperHalf(half, codes), scale, weights + hn::MaxLanes(half));
  } else {
    const hn::Rebind<float, decltype(d)> df;
    const hn::Rebind<int32_t, decltype(d)> di;
    const auto floats = hn::ConvertTo(df, hn::PromoteTo(di, codes));
    if constexpr (hn::MaxLanes(d) == kFloats) {
      hn::StoreU(hn::Mul(scale, floats), df, weights);
    } else {
      hn::StoreU(hn::Mul(hn::LowerHalf(df, scale), floats), df, weights);
    }
  }
}

// Computes weights[i] = scale * codes[i] + offset.  The products, of an f16 and
// two small integers, fit a float, so it does not matter whether the target
// rounds them before the sum.
template <class V>
HWY_INLINE void StoreScaledPlus(V codes, FloatVec scale, FloatVec offset, float* weights) {
  const hn::DFromV<V> d;
  if constexpr (hn::MaxLanes(d) > kFloats) {
    const hn::Half<decltype(d)> half;
    StoreScaledPlus(hn::LowerHalf(half, codes), scale, offset, weights);
    StoreScaledPlus(hn::UpperHalf(half, codes), scale, offset, weights + hn::MaxLanes(half));
  } else {
    const hn::Rebind<float, decltype(d)> df;
    const hn::Rebind<int32_t, decltype(d)> di;
    const auto floats = hn::ConvertTo(df, hn::PromoteTo(di, codes));
    hn::StoreU(hn::MulAdd(scale, floats, offset), df, weights);
  }
}

// Returns values[i] for each number i, which is 0..15, of `quants`.
template <class V>
HWY_INLINE FloatVec LookUp(FloatVec values, V quants) {
  return hn::TableLookupLanes(values, hn::IndicesFromVec(Floats(), quants));
}

// Converts the nibbles of 16 bytes: low[i] = scale0 * lo + offset0 for each,
// and high[i] for hi.  They are split after widening, which is then done once
// for both.
HWY_INLINE void StoreNibblesPlus(const uint8_t* bytes, FloatVec scale0, FloatVec offset0,
                                 float* low, FloatVec scale1, FloatVec offset1, float* high) {
  const hn::Rebind<uint8_t, Floats> d8;
  const hn::Rebind<int32_t, Floats> d32;
  for (size_t i = 0; i < 16; i += kFloats) {
    const auto both = hn::PromoteTo(d32, hn::LoadU(d8, bytes + i));
    const auto lo = hn::And(both, hn::Set(d32, 15));
    const auto hi = hn::ShiftRight<4>(both);
    FloatVec low_weights, high_weights;
    if constexpr (kFloats == 16) {  // One vector holds all values of a nibble.
      const FloatVec quants = hn::Iota(Floats(), 0);
      low_weights = LookUp(hn::MulAdd(scale0, quants, offset0), lo);
      high_weights = LookUp(hn::MulAdd(scale1, quants, offset1), hi);
    } else {
      low_weights = hn::MulAdd(scale0, hn::ConvertTo(Floats(), lo), offset0);
      high_weights = hn::MulAdd(scale1, hn::ConvertTo(Floats(), hi), offset1);
    }
    hn::StoreU(low_weights, Floats(), low + i);
    hn::StoreU(high_weights, Floats(), high + i);
  }
}

// Writes 32 weights from nibbles: lo for the first 16, hi for the others, each
// looked up in `table`.
HWY_INLINE void StoreNibbles(ByteVec bytes, IntVec table, FloatVec scale, float* weights) {
  StoreScaled(hn::TableLookupBytes(table, AsInts(Lo(bytes))), scale, weights);
  StoreScaled(hn::TableLookupBytes(table, AsInts(Hi(bytes))), scale, weights + 16);
}

// ---- Rows ----

// Like EachBlock of kernel.h, but compiled for the target.
template <TensorType type, void (*block_function)(const uint8_t*, float*)>
void EachBlockSimd(const uint8_t* blocks, size_t n_blocks, float* weights) {
  const TensorTypeInfo& info = GetTensorType(type);
  const size_t block_bytes = info.block_bytes;
  const size_t block_elements = info.block_elements;
  for (size_t i = 0; i < n_blocks; ++i) {
    block_function(blocks, weights);
    blocks += block_bytes;
    weights += block_elements;
  }
}

template <TensorType type, void (*block_function)(const uint8_t*, float*)>
constexpr Kernel Simd() {
  return {type, "simd", EachBlockSimd<type, block_function>};
}

}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#endif  // HWY_TARGET != HWY_SCALAR

#endif  // Per-target include guard.
