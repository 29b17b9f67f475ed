// Where the scales of each type stand, and loops that look at them only.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "kernels/dequantize.h"
#include "parser/assert.h"

namespace gguf {
namespace {

// What a number in a block is, and which of its values are not finite.
enum class Number {
  kNone,
  kF16,
  kBf16,
  kF32,
  kF64,
  kE8M0,    // 255 is NaN.
  kUe4m3,   // 127 is NaN; the sign is not looked at.
  kIq1Half  // An f16 in the upper nibbles of four 16-bit numbers.
};

// The scales of a type: `count` numbers at each of up to two places.
struct ScaleLayout {
  TensorType type;
  Number number;
  uint16_t at;
  uint16_t count;
  // Whether finite scales can make weights that are not.
  bool can_overflow;
};

constexpr ScaleLayout kLayouts[] = {
    // The whole block is the number.
    {TensorType::kF32, Number::kF32, 0, 1, false},
    {TensorType::kF16, Number::kF16, 0, 1, false},
    {TensorType::kBF16, Number::kBf16, 0, 1, false},
    {TensorType::kF64, Number::kF64, 0, 1, false},
    // d, and m or dmin beside it.
    {TensorType::kQ4_0, Number::kF16, 0, 1, false},
    {TensorType::kQ4_1, Number::kF16, 0, 2, false},
    {TensorType::kQ5_0, Number::kF16, 0, 1, false},
    {TensorType::kQ5_1, Number::kF16, 0, 2, false},
    {TensorType::kQ8_0, Number::kF16, 0, 1, false},
    {TensorType::kQ8_1, Number::kF16, 0, 2, false},
    {TensorType::kQ2_K, Number::kF16, 80, 2, false},
    {TensorType::kQ3_K, Number::kF16, 108, 1, false},
    {TensorType::kQ4_K, Number::kF16, 0, 2, false},
    {TensorType::kQ5_K, Number::kF16, 0, 2, false},
    {TensorType::kQ6_K, Number::kF16, 208, 1, false},
    {TensorType::kQ8_K, Number::kF32, 0, 1, true},
    {TensorType::kIQ2_XXS, Number::kF16, 0, 1, false},
    {TensorType::kIQ2_XS, Number::kF16, 0, 1, false},
    {TensorType::kIQ3_XXS, Number::kF16, 0, 1, false},
    {TensorType::kIQ1_S, Number::kF16, 0, 1, false},
    {TensorType::kIQ4_NL, Number::kF16, 0, 1, false},
    {TensorType::kIQ3_S, Number::kF16, 0, 1, false},
    {TensorType::kIQ2_S, Number::kF16, 0, 1, false},
    {TensorType::kIQ4_XS, Number::kF16, 0, 1, false},
    {TensorType::kIQ1_M, Number::kIq1Half, 48, 1, false},
    {TensorType::kTQ1_0, Number::kF16, 52, 1, false},
    {TensorType::kTQ2_0, Number::kF16, 64, 1, false},
    {TensorType::kMXFP4, Number::kE8M0, 0, 1, true},
    {TensorType::kNVFP4, Number::kUe4m3, 0, 4, false},
    {TensorType::kQ1_0, Number::kF16, 0, 1, false},
    {TensorType::kQ2_0, Number::kF16, 0, 1, false},
    // Those of GGUF's ancestors.
    {TensorType::kQ4_0_QNT0, Number::kF32, 0, 1, true},
    {TensorType::kQ4_1_QNT0, Number::kF32, 0, 2, true},
    {TensorType::kQ4_2, Number::kF16, 0, 1, false},
    {TensorType::kQ4_3, Number::kF16, 0, 2, false},
    {TensorType::kQ5_0_QNT0, Number::kF16, 0, 1, false},
    {TensorType::kQ5_1_QNT0, Number::kF16, 0, 2, false},
    {TensorType::kQ8_0_QNT0, Number::kF32, 0, 1, true},
    {TensorType::kQ4_0_QNT1, Number::kF32, 0, 1, true},
    {TensorType::kQ4_1_QNT1, Number::kF32, 0, 2, true},
    // And the outlier, which is a weight.
    {TensorType::kQ4_1_O, Number::kF16, 0, 2, true},
};

constexpr ScaleLayout kNoScales = {TensorType::kI8, Number::kNone, 0, 0, false};

const ScaleLayout& LayoutOf(TensorType type) {
  for (const ScaleLayout& layout : kLayouts) {
    if (layout.type == type) return layout;
  }
  return kNoScales;
}

uint32_t SizeOf(Number number) {
  switch (number) {
    case Number::kNone:
      return 0;
    case Number::kE8M0:
    case Number::kUe4m3:
      return 1;
    case Number::kF16:
    case Number::kBf16:
      return 2;
    case Number::kF32:
      return 4;
    case Number::kF64:
    case Number::kIq1Half:
      return 8;
  }
  return 0;
}

// Exponent bits.  A number is NaN or infinite when all of them are set.
constexpr uint16_t kF16Exponent = 0x7C00, kBf16Exponent = 0x7F80;
constexpr uint32_t kF32Exponent = 0x7F800000;
constexpr uint64_t kF64Exponent = 0x7FF0000000000000;

// The bits as a little-endian load sees them in a file of either endianness.
template <class T>
T AsStored(T bits, Endian endian) {
  return LoadUnsigned<T>(reinterpret_cast<const uint8_t*>(&bits), endian);
}

bool IsBadNumber(Number number, const uint8_t* at, Endian endian) {
  const auto all_set = [](uint64_t bits, uint64_t mask) {
    return (bits & mask) == mask;
  };
  switch (number) {
    case Number::kNone:
      return false;
    case Number::kF16:
      return all_set(LoadUnsigned<uint16_t>(at, endian), kF16Exponent);
    case Number::kBf16:
      return all_set(LoadUnsigned<uint16_t>(at, endian), kBf16Exponent);
    case Number::kF32:
      return all_set(LoadUnsigned<uint32_t>(at, endian), kF32Exponent);
    case Number::kF64:
      return all_set(LoadUnsigned<uint64_t>(at, endian), kF64Exponent);
    case Number::kE8M0:
      return *at == 0xFF;
    case Number::kUe4m3:
      return (*at & 0x7F) == 0x7F;
    case Number::kIq1Half:
      // Exponent bits 10 and 11 are in the third number, 12..14 in the fourth.
      return all_set(LoadUnsigned<uint16_t>(at + 4, endian), 0xC000) &&
             all_set(LoadUnsigned<uint16_t>(at + 6, endian), 0x7000);
  }
  return false;
}

// Whether any of `n` numbers of type T, one after the other, has all bits of
// `mask` set.  Selects and no branches: these loops run at the speed of memory.
template <class T, uint32_t kStride = sizeof(T)>
bool AnyAllSet(const uint8_t* at, size_t n, T mask) {
  T any = 0;
  for (size_t i = 0; i < n; ++i) {
    T bits;
    std::memcpy(&bits, at + i * kStride, sizeof bits);
    any |= (bits & mask) == mask ? T{1} : T{0};
  }
  return any != 0;
}

// Whether any of the f16 at `at` + i * kStride, i < n, and, when T is a pair,
// of those behind them, is not finite: adding the lowest bit of an exponent of
// ones carries into the bit above it.
template <class T, uint32_t kStride>
bool AnyBadHalf(const uint8_t* at, size_t n, Endian endian) {
  constexpr T kEach = sizeof(T) == 4 ? static_cast<T>(0x00010001) : 1;
  const T exponent = AsStored<uint16_t>(kF16Exponent, endian) * kEach;
  const T lowest = AsStored<uint16_t>(0x0400, endian) * kEach;
  const T carry = static_cast<T>(exponent + lowest);
  T any = 0;
  for (size_t i = 0; i < n; ++i) {
    T bits;
    std::memcpy(&bits, at + i * kStride, sizeof bits);
    any |= (bits & exponent) + lowest;
  }
  return (any & carry) != 0;
}

// A branch that is never taken: without it the compiler gathers the bytes into
// vectors, which is slower than to look at each.
bool AnyE8M0AtLeast(const uint8_t* at, size_t n, uint8_t least) {
  for (size_t i = 0; i < n; ++i) {
    if (at[i * 17] >= least) return true;
  }
  return false;
}

bool AnyUe4m3Nan(const uint8_t* at, size_t n) {
  uint32_t any = 0;
  for (size_t i = 0; i < n; ++i) {
    uint32_t four;
    std::memcpy(&four, at + i * 36, sizeof four);
    any |=
        (four & 0x7F7F7F7F) + 0x01010101;  // The high bit, where all are set.
  }
  return (any & 0x80808080) != 0;
}

bool AnyIq1HalfBad(const uint8_t* at, size_t n, Endian endian) {
  const uint16_t third = AsStored<uint16_t>(0xC000, endian);
  const uint16_t fourth = AsStored<uint16_t>(0x7000, endian);
  const uint32_t mask = third | uint32_t{fourth} << 16;
  return AnyAllSet<uint32_t, 56>(at + 4, n, mask);
}

// Whether a block may have a fault; false is certain, true need not be.  One
// instance for each stride, so that the compiler knows it.
bool MayHaveFaults(const ScaleLayout& layout, const uint8_t* blocks, size_t n,
                   Endian endian) {
  const uint8_t* at = blocks + layout.at;
  switch (layout.type) {
    case TensorType::kF32:
      return AnyAllSet<uint32_t>(at, n, AsStored(kF32Exponent, endian));
    case TensorType::kF16:
      return AnyAllSet<uint16_t>(at, n, AsStored(kF16Exponent, endian));
    case TensorType::kBF16:
      return AnyAllSet<uint16_t>(at, n, AsStored(kBf16Exponent, endian));
    case TensorType::kF64:
      // Its upper half has the exponent, and is compared at twice the speed.
      return AnyAllSet<uint32_t, 8>(
          at + (endian == Endian::kLittle ? 4 : 0), n,
          AsStored(static_cast<uint32_t>(kF64Exponent >> 32), endian));
    case TensorType::kQ4_0:
    case TensorType::kIQ4_NL:
    case TensorType::kQ1_0:
    case TensorType::kQ2_0:
      return AnyBadHalf<uint16_t, 18>(at, n, endian);
    case TensorType::kQ4_1:
      return AnyBadHalf<uint32_t, 20>(at, n, endian);
    case TensorType::kQ5_0:
      return AnyBadHalf<uint16_t, 22>(at, n, endian);
    case TensorType::kQ5_1:
      return AnyBadHalf<uint32_t, 24>(at, n, endian);
    case TensorType::kQ8_0:
      return AnyBadHalf<uint16_t, 34>(at, n, endian);
    case TensorType::kQ8_1:
      return AnyBadHalf<uint32_t, 36>(at, n, endian);
    case TensorType::kQ2_K:
      return AnyBadHalf<uint32_t, 84>(at, n, endian);
    case TensorType::kQ3_K:
    case TensorType::kIQ3_S:
      return AnyBadHalf<uint16_t, 110>(at, n, endian);
    case TensorType::kQ4_K:
      return AnyBadHalf<uint32_t, 144>(at, n, endian);
    case TensorType::kQ5_K:
      return AnyBadHalf<uint32_t, 176>(at, n, endian);
    case TensorType::kQ6_K:
      return AnyBadHalf<uint16_t, 210>(at, n, endian);
    case TensorType::kQ8_K:
      // A scale of 2^120 or more: 127 times that may be infinite.
      return AnyAllSet<uint32_t, 292>(at, n,
                                      AsStored(uint32_t{0x78000000}, endian));
    case TensorType::kIQ2_XXS:
    case TensorType::kTQ2_0:
      return AnyBadHalf<uint16_t, 66>(at, n, endian);
    case TensorType::kIQ2_XS:
      return AnyBadHalf<uint16_t, 74>(at, n, endian);
    case TensorType::kIQ3_XXS:
      return AnyBadHalf<uint16_t, 98>(at, n, endian);
    case TensorType::kIQ1_S:
      return AnyBadHalf<uint16_t, 50>(at, n, endian);
    case TensorType::kIQ2_S:
      return AnyBadHalf<uint16_t, 82>(at, n, endian);
    case TensorType::kIQ4_XS:
      return AnyBadHalf<uint16_t, 136>(at, n, endian);
    case TensorType::kIQ1_M:
      return AnyIq1HalfBad(at, n, endian);
    case TensorType::kTQ1_0:
      return AnyBadHalf<uint16_t, 54>(at, n, endian);
    // Twelve times 2^(253-128) is infinite already.
    case TensorType::kMXFP4:
      return AnyE8M0AtLeast(at, n, 0xFD);
    case TensorType::kNVFP4:
      return AnyUe4m3Nan(at, n);
    default:
      return layout.number != Number::kNone;
  }
}

// Looks at every block by itself, from number `begin` on.
void ScanOneByOne(const ScaleLayout& layout, const TensorTypeInfo& info,
                  Bytes blocks, uint64_t begin, Endian endian,
                  WeightFaults* faults) {
  for (uint64_t at = 0; at < blocks.size(); at += info.block_bytes) {
    const Bytes block = blocks.subspan(at, info.block_bytes);
    const uint64_t index = begin + at / info.block_bytes;
    bool bad_number = false;
    for (uint32_t i = 0; i < layout.count; ++i) {
      bad_number |= IsBadNumber(
          layout.number, block.data() + layout.at + i * SizeOf(layout.number),
          endian);
    }
    if (bad_number) {
      WeightFaults one;
      (info.quantized ? one.bad_scales : one.bad_weights) = 1;
      faults->Add(one, index, info.block_elements);
    } else if (layout.can_overflow) {
      std::array<float, 256> weights;
      const auto error = Dequantize(
          layout.type, block,
          absl::MakeSpan(weights.data(), info.block_elements), endian);
      Assert(!error, "a whole block cannot be dequantized");
      for (uint32_t i = 0; i < info.block_elements; ++i) {
        if (std::isfinite(weights[i])) continue;
        WeightFaults one;
        one.bad_weights = 1;
        one.first_bad_weight = i;
        faults->Add(one, index, info.block_elements);
      }
    }
  }
}

}  // namespace

void WeightFaults::Add(const WeightFaults& other, uint64_t begin,
                       uint32_t block_elements) {
  if (other.bad_scales > 0) {
    const uint64_t first = begin + other.first_bad_scale;
    first_bad_scale =
        bad_scales == 0 ? first : std::min(first, first_bad_scale);
    bad_scales += other.bad_scales;
  }
  if (other.bad_weights > 0) {
    const uint64_t first = begin * block_elements + other.first_bad_weight;
    first_bad_weight =
        bad_weights == 0 ? first : std::min(first, first_bad_weight);
    bad_weights += other.bad_weights;
  }
}

WeightFaults ScanWeights(TensorType type, Bytes blocks, Endian endian) {
  constexpr size_t kBlocksAtATime = 1024;
  const TensorTypeInfo& info = GetTensorType(type);
  const ScaleLayout& layout = LayoutOf(type);
  Assert(blocks.size() % info.block_bytes == 0, "a scan of half a block");
  WeightFaults faults;
  if (layout.number == Number::kNone) return faults;
  const size_t step = kBlocksAtATime * info.block_bytes;
  for (size_t at = 0; at < blocks.size(); at += step) {
    const Bytes some = blocks.subspan(at, step);
    if (MayHaveFaults(layout, some.data(), some.size() / info.block_bytes,
                      endian)) {
      ScanOneByOne(layout, info, some, at / info.block_bytes, endian, &faults);
    }
  }
  return faults;
}

Range BadScale(TensorType type, const uint8_t* block, Endian endian) {
  const ScaleLayout& layout = LayoutOf(type);
  const uint32_t size = SizeOf(layout.number);
  for (uint32_t i = 0; i < layout.count; ++i) {
    const uint64_t at = layout.at + i * size;
    if (IsBadNumber(layout.number, block + at, endian)) return {at, at + size};
  }
  return {0, GetTensorType(type).block_bytes};  // It has changed since.
}

}  // namespace gguf
