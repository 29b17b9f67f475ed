// MXFP4 NVFP4: fast kernels, equal to fp4_quants.cc.
//
// fp4_quants.cc explains the formats.
//
// SPDX-License-Identifier: Apache-2.0

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fp4_quants_simd.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR

HWY_INLINE void MXFP4(const uint8_t* block, float* weights) {
  const IntVec values = hn::LoadU(Int16s(), kE2M1Doubled);
  StoreNibbles(Load16(block + 1), values, AllFloats(E8M0HalfToFloat(block[0])), weights);
}

// Like Ue4m3HalfToFloat, for the four bytes at `bytes`.
HWY_INLINE void FourUe4m3(const uint8_t* bytes, float* scale) {
  const hn::FixedTag<float, 4> df;
  const hn::FixedTag<int32_t, 4> di;
  const auto byte = hn::PromoteTo(di, hn::LoadU(hn::FixedTag<uint8_t, 4>(), bytes));
  const auto magnitude = hn::And(byte, hn::Set(di, 0x7F));
  const auto subnormal = hn::Mul(hn::ConvertTo(df, magnitude), hn::Set(df, 0x1p-10f));
  const auto normal =
      hn::BitCast(df, hn::Add(hn::ShiftLeft<20>(magnitude), hn::Set(di, 119 << 23)));
  const auto is_subnormal = hn::RebindMask(df, hn::Lt(magnitude, hn::Set(di, 8)));
  const auto is_hole = hn::RebindMask(df, hn::Eq(byte, hn::Set(di, 0x7F)));
  hn::StoreU(hn::IfThenZeroElse(is_hole, hn::IfThenElse(is_subnormal, subnormal, normal)), df,
             scale);
}

HWY_INLINE void NVFP4(const uint8_t* block, float* weights) {
  const hn::Repartition<uint64_t, Bytes16> d64;
  const IntVec values = hn::LoadU(Int16s(), kE2M1Doubled);
  float scale[4];
  FourUe4m3(block, scale);
  for (int group = 0; group < 4; group += 2) {
    const ByteVec qs = Load16(block + 4 + 8 * group);
    const auto low = hn::BitCast(d64, hn::TableLookupBytes(values, AsInts(Lo(qs))));
    const auto high = hn::BitCast(d64, hn::TableLookupBytes(values, AsInts(Hi(qs))));
    const IntVec first = hn::BitCast(Int16s(), hn::InterleaveLower(d64, low, high));
    const IntVec second = hn::BitCast(Int16s(), hn::InterleaveUpper(d64, low, high));
    StoreScaled(first, AllFloats(scale[group]), weights + 16 * group);
    StoreScaled(second, AllFloats(scale[group + 1]), weights + 16 * group + 16);
  }
}

constexpr Kernel kRows[] = {
    Simd<TensorType::kMXFP4, MXFP4>(),
    Simd<TensorType::kNVFP4, NVFP4>(),
};

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#define GGUF_SIMD_FAMILY Fp4QuantsSimd
#include "kernels/simd_family-inl.h"
