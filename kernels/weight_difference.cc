// Keeps the sums of a block in vectors.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_difference.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/weight_difference.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"
#include "kernels/float_formats.h"
#include "kernels/simd_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 1>;
using FloatVec = hn::Vec<Floats>;

FloatVec LoadFloats(const uint8_t* numbers) {
  float weight;
  std::memcpy(&weight, numbers, sizeof weight);
  return hn::Set(Floats(), weight);
}
FloatVec LoadHalves(const uint8_t* numbers) {
  return hn::Set(Floats(), LoadF16(numbers));
}
FloatVec LoadUpperHalves(const uint8_t* numbers) {
  return hn::Set(Floats(),
                 Bf16ToFloat(LoadUnsigned<uint16_t>(numbers, Endian::kLittle)));
}

#else

FloatVec LoadFloats(const uint8_t* numbers) {
  const hn::Repartition<uint8_t, Floats> bytes;
  return hn::BitCast(Floats(), hn::LoadU(bytes, numbers));
}

#endif  // HWY_TARGET == HWY_SCALAR

// The number of groups whose peaks are merged at once; the remaining groups are
// merged in fours, in twos, then alone.
constexpr size_t kMany = 8;

struct Sums {
  FloatVec error, base, file;
};

// Returns the larger magnitude of each lane; if one is NaN, either of the two.
HWY_INLINE FloatVec LargerMagnitude(FloatVec a, FloatVec b) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  constexpr int kLargerMagnitude = 0xB;
  return FloatVec{_mm512_range_ps(a.raw, b.raw, kLargerMagnitude)};
#else
  return hn::Max(hn::Abs(a), hn::Abs(b));
#endif
}

// Adds a vector to the sums.  Returns the differences.
HWY_INLINE FloatVec AddVector(FloatVec base, const float* file, Sums* sums) {
  const FloatVec f = hn::LoadU(Floats(), file);
  const FloatVec difference = hn::Sub(f, base);
  sums->error = hn::MulAdd(difference, difference, sums->error);
  sums->base = hn::MulAdd(base, base, sums->base);
  sums->file = hn::MulAdd(f, f, sums->file);
  return difference;
}

// Loads a vector of numbers of a base.
using LoadNumbers = FloatVec (*)(const uint8_t* numbers);

// Adds a group to the sums.  Vectors alternate between two sets of sums, so
// that additions need not wait for each other.  Raises `worst` to the largest
// |difference| in each lane, and returns the largest magnitudes of the base, by
// lane.
template <LoadNumbers load, size_t bytes>
HWY_INLINE FloatVec AddGroup(const uint8_t* base, const float* file, Sums* even,
                             Sums* odd, FloatVec* worst) {
  const size_t lanes = hn::Lanes(Floats());
  FloatVec peak = hn::Zero(Floats());
  for (size_t i = 0; i < kComparedGroup; i += 2 * lanes) {
    const FloatVec first = load(base + bytes * i);
    const FloatVec second = load(base + bytes * (i + lanes));
    const FloatVec error = AddVector(first, file + i, even);
    const FloatVec other = AddVector(second, file + i + lanes, odd);
    *worst = hn::Max(*worst, LargerMagnitude(error, other));
    const FloatVec larger = LargerMagnitude(first, second);
    peak = i == 0 ? larger : hn::Max(peak, larger);
  }
  return peak;
}

#if HWY_TARGET == HWY_SCALAR

template <size_t groups>
HWY_INLINE FloatVec SumOfPeaks(const FloatVec* peaks) {
  FloatVec sum = hn::Zero(Floats());
  for (size_t i = 0; i < groups; ++i) {
    sum = hn::MulAdd(peaks[i], peaks[i], sum);
  }
  return sum;
}

HWY_INLINE void StoreSums(FloatVec a, FloatVec b, FloatVec c, FloatVec d,
                          float* sums) {
  size_t i = 0;
  for (const FloatVec v : {a, b, c, d}) sums[i++] = hn::GetLane(v);
}

#else

// Merges two vectors: in each 128 bits, the lanes of each become fewer, but
// keep the largest of them.  The instructions are the cheapest that do this.
HWY_INLINE FloatVec MergePeaks(FloatVec a, FloatVec b) {
  const Floats d;
  return hn::Max(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
}

// Returns a vector whose lanes add up to the sum of the squares of each
// vector's largest lane.
template <size_t groups>
HWY_INLINE FloatVec SumOfPeaks(const FloatVec* peaks) {
  const Floats d;
  constexpr size_t kLanes = hn::MaxLanes(Floats());
  // Each 128 bits have one lane of each vector.
  const auto merge_four = [](const FloatVec* four) {
    return MergePeaks(MergePeaks(four[0], four[1]),
                      MergePeaks(four[2], four[3]));
  };
  FloatVec peak;      // Lanes that are the largest of a vector.
  size_t copies = 1;  // How many lanes are those of one vector.
  if constexpr (groups < kMany) {
    if constexpr (groups == 4) {
      peak = merge_four(peaks);
    } else {
      const FloatVec both = MergePeaks(peaks[0], peaks[groups - 1]);
      peak = MergePeaks(both, both);
    }
    if constexpr (kLanes > 4) {
      peak = hn::Max(peak, hn::ConcatLowerUpper(d, peak, peak));
    }
    copies = kLanes / groups;
  } else {
    const FloatVec a = merge_four(peaks), b = merge_four(peaks + 4);
    if constexpr (kLanes == 4) return hn::MulAdd(a, a, hn::Mul(b, b));
    peak =
        hn::Max(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    copies = kLanes / kMany;
  }
  if constexpr (kLanes == 16) {
    peak = hn::Max(peak, hn::SwapAdjacentBlocks(peak));
  }
  const FloatVec share = hn::Set(d, 1.0f / static_cast<float>(copies));
  return hn::Mul(hn::Mul(peak, peak), share);
}

// Adds up every fourth lane, and stores the four sums.
template <class D>
HWY_INLINE void StoreFour(D d, hn::Vec<D> v, float* sums) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    StoreFour(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)),
              sums);
  } else {
    hn::StoreU(v, d, sums);
  }
}

// Stores the sums of the lanes of four vectors.
HWY_INLINE void StoreSums(FloatVec a, FloatVec b, FloatVec c, FloatVec d,
                          float* sums) {
  const Floats tag;
  // Adds the halves of each 128 bits: pairs of lanes of one, and of the other.
  const auto pairs = [&](FloatVec one, FloatVec other) {
    return hn::Add(hn::InterleaveLower(tag, one, other),
                   hn::InterleaveUpper(tag, one, other));
  };
  StoreFour(tag, pairs(pairs(a, c), pairs(b, d)), sums);
}

#endif  // HWY_TARGET == HWY_SCALAR

// Adds `groups` groups to the sums, and moves on to the next.  Returns a vector
// whose lanes add up to the sum of the squares of the groups' peaks.
template <size_t groups, LoadNumbers load, size_t bytes>
HWY_INLINE FloatVec AddGroups(const uint8_t** base, const float** file,
                              Sums* even, Sums* odd, FloatVec* worst) {
  FloatVec peaks[groups];
  for (FloatVec& peak : peaks) {
    peak = AddGroup<load, bytes>(*base, *file, even, odd, worst);
    *base += kComparedGroup * bytes;
    *file += kComparedGroup;
  }
  return SumOfPeaks<groups>(peaks);
}

template <LoadNumbers load, size_t bytes>
float Compare(const uint8_t* base, const float* file, size_t block,
              size_t n_blocks, BlockDifference* blocks) {
  const Floats d;
  FloatVec worst = hn::Zero(d);
  for (BlockDifference* const end = blocks + n_blocks; blocks < end; ++blocks) {
    Sums even = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    Sums odd = even;
    FloatVec peaks = hn::Zero(d);
    size_t left = block / kComparedGroup;
    for (; left >= kMany; left -= kMany) {
      peaks = hn::Add(peaks, AddGroups<kMany, load, bytes>(&base, &file, &even,
                                                           &odd, &worst));
    }
    if (left >= 4) {
      peaks = hn::Add(
          peaks, AddGroups<4, load, bytes>(&base, &file, &even, &odd, &worst));
      left -= 4;
    }
    if (left >= 2) {
      peaks = hn::Add(
          peaks, AddGroups<2, load, bytes>(&base, &file, &even, &odd, &worst));
      left -= 2;
    }
    if (left > 0) {
      peaks = hn::Add(
          peaks, AddGroups<1, load, bytes>(&base, &file, &even, &odd, &worst));
    }
    StoreSums(hn::Add(even.error, odd.error), hn::Add(even.base, odd.base),
              hn::Add(even.file, odd.file), peaks, &blocks->error);
  }
  return hn::GetLane(hn::MaxOfLanes(d, worst));
}

float CompareF32(const uint8_t* base, const float* file, size_t block,
                 size_t n_blocks, BlockDifference* blocks) {
  return Compare<LoadFloats, 4>(base, file, block, n_blocks, blocks);
}
float CompareF16(const uint8_t* base, const float* file, size_t block,
                 size_t n_blocks, BlockDifference* blocks) {
  return Compare<LoadHalves, 2>(base, file, block, n_blocks, blocks);
}
float CompareBf16(const uint8_t* base, const float* file, size_t block,
                  size_t n_blocks, BlockDifference* blocks) {
  return Compare<LoadUpperHalves, 2>(base, file, block, n_blocks, blocks);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gguf {
namespace {

HWY_EXPORT(CompareF32);
HWY_EXPORT(CompareF16);
HWY_EXPORT(CompareBf16);

}  // namespace

bool IsComparedAsStored(TensorType type, Endian endian) {
  switch (type) {
    case TensorType::kF32:
      return endian == kHostEndian;
    case TensorType::kF16:
    case TensorType::kBF16:
      return endian == kHostEndian && endian == Endian::kLittle;
    default:
      return false;
  }
}

float CompareWeights(TensorType base_type, const uint8_t* base,
                     const float* file, size_t block, size_t n_blocks,
                     BlockDifference* blocks) {
  switch (base_type) {
    case TensorType::kF16:
      return HWY_DYNAMIC_DISPATCH(CompareF16)(base, file, block, n_blocks,
                                              blocks);
    case TensorType::kBF16:
      return HWY_DYNAMIC_DISPATCH(CompareBf16)(base, file, block, n_blocks,
                                               blocks);
    default:
      return HWY_DYNAMIC_DISPATCH(CompareF32)(base, file, block, n_blocks,
                                              blocks);
  }
}

}  // namespace gguf
#endif  // HWY_ONCE
