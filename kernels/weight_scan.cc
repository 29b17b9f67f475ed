// Loops that read only the scales.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "conformance/base/bytes.h"
#include "kernels/dequantize.h"

namespace gguf {
namespace {

// Exponent bits.  A number is NaN or infinite when all of them are set.
constexpr uint16_t kF16Exponent = 0x7C00, kBf16Exponent = 0x7F80;
constexpr uint32_t kF32Exponent = 0x7F800000;
constexpr uint64_t kF64Exponent = 0x7FF0000000000000;
// The least magnitude of an F64, as bits, that is infinite as an f32:
// 2^128 - 2^103, halfway from the largest f32 to 2^128.
constexpr uint64_t kF64BeyondF32 = 0x47EFFFFFF0000000;

// The bytes of a scale, and those of its bits that are all set if it is NaN or
// infinite; by ScaleFormat.
struct ScaleBits {
  uint32_t bytes;
  uint64_t exponent;
};
constexpr ScaleBits kScaleBits[] = {
    {0, 0},
    {2, kF16Exponent},
    {2, kBf16Exponent},
    {4, kF32Exponent},
    {8, kF64Exponent},  // See IsBadNumber: readers compute with f32.
    {1, 0xFF},          // kE8m0
    {1, 0x7F},          // kUe4m3
    {8, 0},             // kIq1Half: see IsBadNumber.
};
static_assert(std::size(kScaleBits) == static_cast<size_t>(ScaleFormat::kIq1Half) + 1,
              "kScaleBits has a row for each format");

constexpr ScaleBits BitsOf(ScaleFormat format) { return kScaleBits[static_cast<size_t>(format)]; }

// Returns the bits as the host loads them from a file of either endianness.
template <class T>
T AsStored(T bits, Endian endian) {
  return LoadUnsigned<T>(reinterpret_cast<const uint8_t*>(&bits), endian);
}

// Returns whether any of `n` numbers of type T, kStride bytes apart, has all
// bits of `mask` set.  Selects instead of branches: these loops run at memory
// speed.
template <class T, uint32_t kStride>
bool AnyAllSet(const uint8_t* at, size_t n, T mask) {
  T any = 0;
  for (size_t i = 0; i < n; ++i) {
    T bits;
    std::memcpy(&bits, at + i * kStride, sizeof bits);
    any |= (bits & mask) == mask ? T{1} : T{0};
  }
  return any != 0;
}

// Returns whether any of the f16 at `at` + i * kStride, i < n, and, if T is a
// pair, of those after them, is not finite.  Adding the lowest exponent bit to
// an exponent of all ones carries into the bit above it.
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

// Returns whether any of `n` consecutive F64 may be infinite as an f32.  The
// upper half decides.
bool AnyF64BeyondF32(const uint8_t* at, size_t n, Endian endian) {
  constexpr uint32_t kLeast = kF64BeyondF32 >> 32;
  const uint8_t* const upper = at + (endian == Endian::kLittle ? 4 : 0);
  uint32_t any = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t bits = LoadUnsigned<uint32_t>(upper + 8 * i, endian);
    any |= (bits & 0x7FFFFFFF) >= kLeast ? 1 : 0;
  }
  return any != 0;
}

// A branch that is never taken.  Without it, the compiler gathers the bytes
// into vectors, which is slower than examining each.
template <uint32_t kStride>
bool AnyAtLeast(const uint8_t* at, size_t n, uint8_t least) {
  for (size_t i = 0; i < n; ++i) {
    if (at[i * kStride] >= least) return true;
  }
  return false;
}

template <uint32_t kStride>
bool AnyUe4m3Nan(const uint8_t* at, size_t n) {
  uint32_t any = 0;
  for (size_t i = 0; i < n; ++i) {
    uint32_t four;
    std::memcpy(&four, at + i * kStride, sizeof four);
    any |= (four & 0x7F7F7F7F) + 0x01010101;  // Sets the high bit if all are set.
  }
  return (any & 0x80808080) != 0;
}

template <uint32_t kStride>
bool AnyIq1HalfBad(const uint8_t* at, size_t n, Endian endian) {
  const uint16_t third = AsStored<uint16_t>(0xC000, endian);
  const uint16_t fourth = AsStored<uint16_t>(0x7000, endian);
  const uint32_t mask = kHostEndian == Endian::kLittle ? third | uint32_t{fourth} << 16
                                                       : uint32_t{third} << 16 | fourth;
  return AnyAllSet<uint32_t, kStride>(at + 4, n, mask);
}

// Returns whether a block of the type in this row of kTensorTypes may have a
// fault; false is certain, true is not.  There is one instance for each type,
// so that the compiler knows the stride.
template <size_t kRow>
bool MayHaveFaults(const uint8_t* blocks, size_t n, Endian endian) {
  constexpr const TensorTypeInfo& info = kTensorTypes[kRow];
  constexpr ScaleLayout scales = info.scales;
  constexpr uint32_t kStride = info.block_bytes;
  const uint8_t* const at = blocks + scales.at;
  switch (scales.format) {
    case ScaleFormat::kNone:
      return false;
    case ScaleFormat::kF16:
      if (scales.can_overflow) return true;  // Q4_1_O's outlier is a weight.
      if (!info.quantized) {
        return AnyAllSet<uint16_t, kStride>(at, n, AsStored(kF16Exponent, endian));
      }
      static_assert(scales.format != ScaleFormat::kF16 || scales.count <= 2);
      return scales.count == 1 ? AnyBadHalf<uint16_t, kStride>(at, n, endian)
                               : AnyBadHalf<uint32_t, kStride>(at, n, endian);
    case ScaleFormat::kBf16:
      return AnyAllSet<uint16_t, kStride>(at, n, AsStored(kBf16Exponent, endian));
    case ScaleFormat::kF32: {
      // Scales below 2^113 make finite weights in every type.
      const uint32_t mask =
          AsStored(scales.can_overflow ? uint32_t{0x78000000} : kF32Exponent, endian);
      bool any = false;
      for (uint32_t i = 0; i < scales.count; ++i) {
        any |= AnyAllSet<uint32_t, kStride>(at + 4 * i, n, mask);
      }
      return any;
    }
    case ScaleFormat::kF64:
      return AnyF64BeyondF32(at, n, endian);
    case ScaleFormat::kE8m0:
      // Twelve times 2^(253-128) is already infinite.
      return AnyAtLeast<kStride>(at, n, 0xFD);
    case ScaleFormat::kUe4m3:
      static_assert(scales.format != ScaleFormat::kUe4m3 || scales.count == 4 || kStride == 1);
      return scales.count == 4 ? AnyUe4m3Nan<kStride>(at, n)
                               : AnyAllSet<uint8_t, kStride>(at, n, 0x7F);
    case ScaleFormat::kIq1Half:
      return AnyIq1HalfBad<kStride>(at, n, endian);
  }
  return true;
}

using Scan = bool (*)(const uint8_t* blocks, size_t n, Endian endian);

template <size_t... kRows>
constexpr std::array<Scan, sizeof...(kRows)> Scans(std::index_sequence<kRows...>) {
  return {MayHaveFaults<kRows>...};
}

// Indexed by row of kTensorTypes.
constexpr auto kScans = Scans(std::make_index_sequence<std::size(kTensorTypes)>());

// Examines each block, starting with number `begin`.
void ScanOneByOne(const TensorTypeInfo& info, Bytes blocks, uint64_t begin, Endian endian,
                  WeightFaults* faults) {
  const ScaleLayout& scales = info.scales;
  for (uint64_t at = 0; at < blocks.size(); at += info.block_bytes) {
    const Bytes block = blocks.subspan(at, info.block_bytes);
    const uint64_t index = begin + at / info.block_bytes;
    bool bad_number = false;
    for (uint32_t i = 0; i < scales.count; ++i) {
      bad_number |= IsBadNumber(scales.format,
                                block.data() + scales.at + i * BitsOf(scales.format).bytes, endian);
    }
    if (bad_number) {
      WeightFaults one;
      (info.quantized ? one.bad_scales : one.bad_weights) = 1;
      faults->Add(one, index, info.block_elements);
    } else if (scales.can_overflow) {
      std::array<float, 256> weights;
      const auto error = Dequantize(static_cast<TensorType>(info.id), block,
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

bool IsBadNumber(ScaleFormat format, const uint8_t* at, Endian endian) {
  const auto all_set = [](uint64_t bits, uint64_t mask) { return (bits & mask) == mask; };
  if (format == ScaleFormat::kNone) return false;
  if (format == ScaleFormat::kIq1Half) {
    // Exponent bits 10 and 11 are in the third number, 12..14 in the fourth.
    return all_set(LoadUnsigned<uint16_t>(at + 4, endian), 0xC000) &&
           all_set(LoadUnsigned<uint16_t>(at + 6, endian), 0x7000);
  }
  if (format == ScaleFormat::kF64) {
    return (LoadUnsigned<uint64_t>(at, endian) & ~(uint64_t{1} << 63)) >= kF64BeyondF32;
  }
  const auto [bytes, exponent] = BitsOf(format);
  return all_set(LoadUnsignedOfSize(at, bytes, endian), exponent);
}

void WeightFaults::Add(const WeightFaults& other, uint64_t begin, uint32_t block_elements) {
  if (other.bad_scales > 0) {
    const uint64_t first = begin + other.first_bad_scale;
    first_bad_scale = bad_scales == 0 ? first : std::min(first, first_bad_scale);
    bad_scales += other.bad_scales;
  }
  if (other.bad_weights > 0) {
    const uint64_t first = begin * block_elements + other.first_bad_weight;
    first_bad_weight = bad_weights == 0 ? first : std::min(first, first_bad_weight);
    bad_weights += other.bad_weights;
  }
}

WeightFaults ScanWeights(TensorType type, Bytes blocks, Endian endian) {
  constexpr size_t kBlocksAtATime = 1024;
  const TensorTypeInfo& info = GetTensorType(type);
  Assert(blocks.size() % info.block_bytes == 0, "a scan of half a block");
  WeightFaults faults;
  if (info.scales.format == ScaleFormat::kNone) return faults;
  const Scan may_have_faults = kScans[&info - kTensorTypes];
  const size_t step = kBlocksAtATime * info.block_bytes;
  for (size_t at = 0; at < blocks.size(); at += step) {
    const Bytes some = blocks.subspan(at, step);
    if (may_have_faults(some.data(), some.size() / info.block_bytes, endian)) {
      ScanOneByOne(info, some, at / info.block_bytes, endian, &faults);
    }
  }
  return faults;
}

Range BadScale(TensorType type, const uint8_t* block, Endian endian) {
  const ScaleLayout& scales = GetTensorType(type).scales;
  const uint32_t size = BitsOf(scales.format).bytes;
  for (uint32_t i = 0; i < scales.count; ++i) {
    const uint64_t at = scales.at + i * size;
    if (IsBadNumber(scales.format, block + at, endian)) return {at, at + size};
  }
  return {0, GetTensorType(type).block_bytes};  // The data has changed since.
}

}  // namespace gguf
