// Keeps the sums of a block in vectors.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_difference.h"

#include <cstddef>
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
FloatVec LoadHalves(const uint8_t* numbers) { return hn::Set(Floats(), LoadF16(numbers)); }
FloatVec LoadUpperHalves(const uint8_t* numbers) {
  return hn::Set(Floats(), Bf16ToFloat(LoadUnsigned<uint16_t>(numbers, Endian::kLittle)));
}

FloatVec AllF16(const uint8_t* number) { return LoadHalves(number); }

#else

FloatVec LoadFloats(const uint8_t* numbers) {
  const hn::Repartition<uint8_t, Floats> bytes;
  return hn::BitCast(Floats(), hn::LoadU(bytes, numbers));
}

#endif  // HWY_TARGET == HWY_SCALAR

// A group of an origin that stores numbers of `bytes` bytes.
template <FloatVec (*load)(const uint8_t* numbers), size_t bytes>
struct Numbers {
  static constexpr size_t kBytes = bytes * kComparedGroup;

  HWY_INLINE explicit Numbers(const uint8_t* group) : numbers(group) {}
  // Returns a vector of weights, of which `i` is the first.
  HWY_INLINE FloatVec At(size_t i) const { return load(numbers + bytes * i); }

  const uint8_t* numbers;
};

// A group of an origin of type Q8_0 (legacy_quants.cc).
struct Q8_0Block {
  static constexpr size_t kBytes = 34;

  HWY_INLINE explicit Q8_0Block(const uint8_t* group)
      : scale(AllF16(group)), codes(reinterpret_cast<const int8_t*>(group) + 2) {}
  HWY_INLINE FloatVec At(size_t i) const {
    const hn::Rebind<int8_t, Floats> d8;
    const hn::Rebind<int32_t, Floats> d32;
    const auto ints = hn::PromoteTo(d32, hn::LoadU(d8, codes + i));
    return hn::Mul(scale, hn::ConvertTo(Floats(), ints));
  }

  FloatVec scale;
  const int8_t* codes;
};

struct Add {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
};
struct Max {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Max(a, b);
  }
};

#if HWY_TARGET == HWY_SCALAR

// Folds the lanes of each of four vectors, and stores the results.
template <class Fold>
HWY_INLINE void FoldLanes(Fold, FloatVec a, FloatVec b, FloatVec c, FloatVec d, float* results) {
  results[0] = hn::GetLane(a);
  results[1] = hn::GetLane(b);
  results[2] = hn::GetLane(c);
  results[3] = hn::GetLane(d);
}

#else

// Folds every fourth lane.
template <class Fold, class D>
HWY_INLINE void FoldFourths(Fold fold, D d, hn::Vec<D> v, float* results) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    FoldFourths(fold, half, fold(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), results);
  } else {
    hn::StoreU(v, d, results);
  }
}

// Folds the lanes of each of four vectors, and stores the results.
template <class Fold>
HWY_INLINE void FoldLanes(Fold fold, FloatVec a, FloatVec b, FloatVec c, FloatVec d,
                          float* results) {
  const Floats floats;
  const hn::Repartition<double, Floats> pairs;
  const auto ab = hn::BitCast(
      pairs, fold(hn::InterleaveLower(floats, a, b), hn::InterleaveUpper(floats, a, b)));
  const auto cd = hn::BitCast(
      pairs, fold(hn::InterleaveLower(floats, c, d), hn::InterleaveUpper(floats, c, d)));
  FoldFourths(fold, floats,
              fold(hn::BitCast(floats, hn::InterleaveLower(pairs, ab, cd)),
                   hn::BitCast(floats, hn::InterleaveUpper(pairs, ab, cd))),
              results);
}

#endif  // HWY_TARGET == HWY_SCALAR

struct Sums {
  // An implicit constructor would be compiled for another target.
  HWY_INLINE Sums()
      : error(hn::Zero(Floats())),
        origin(hn::Zero(Floats())),
        file(hn::Zero(Floats())),
        max_error(hn::Zero(Floats())) {}

  // Subtracts the file's weights, so that x86 can load them as a memory
  // operand.
  HWY_INLINE void Add(FloatVec of_origin, FloatVec of_file) {
    const FloatVec difference = hn::Sub(of_origin, of_file);
    error = hn::MulAdd(difference, difference, error);
    origin = hn::MulAdd(of_origin, of_origin, origin);
    file = hn::MulAdd(of_file, of_file, file);
    max_error = hn::Max(max_error, hn::Abs(difference));
  }
  HWY_INLINE void Add(const Sums& other) {
    error = hn::Add(error, other.error);
    origin = hn::Add(origin, other.origin);
    file = hn::Add(file, other.file);
    max_error = hn::Max(max_error, other.max_error);
  }

  FloatVec error, origin, file, max_error;
};

// Adds `n` groups to the sums.  Returns the sum of the largest squares of each.
template <class Group, size_t n>
HWY_INLINE float AddGroups(const uint8_t* origin, const float* file, Sums* even, Sums* odd) {
  const Floats d;
  constexpr size_t kLanes = hn::MaxLanes(Floats());
  FloatVec peaks[n];
  for (size_t k = 0; k < n; ++k) {
    const Group group(origin + k * Group::kBytes);
    for (size_t i = 0; i < kComparedGroup; i += kLanes) {
      const FloatVec weights = group.At(i);
      // In turn, so that additions need not wait for each other.
      (i / kLanes % 2 == 0 ? even : odd)->Add(weights, hn::LoadU(d, file + k * kComparedGroup + i));
      const FloatVec magnitudes = hn::Abs(weights);
      peaks[k] = i == 0 ? magnitudes : hn::Max(peaks[k], magnitudes);
    }
  }
  float largest[n];
  if constexpr (n == 4) {
    FoldLanes(Max(), peaks[0], peaks[1], peaks[2], peaks[3], largest);
  } else {
    largest[0] = hn::GetLane(hn::MaxOfLanes(d, peaks[0]));
  }
  float sum = 0;
  for (const float weight : largest) sum += weight * weight;
  return sum;
}

template <class Group>
HWY_INLINE float Compare(const uint8_t* origin, const float* file, size_t block, size_t n_blocks,
                         BlockDifference* blocks) {
  const Floats d;
  FloatVec max_error = hn::Zero(d);
  for (size_t i = 0; i < n_blocks; ++i) {
    Sums even, odd;
    float peaks = 0;
    size_t groups = block / kComparedGroup;
    for (; groups >= 4; groups -= 4) {
      peaks += AddGroups<Group, 4>(origin, file, &even, &odd);
      origin += 4 * Group::kBytes;
      file += 4 * kComparedGroup;
    }
    for (; groups > 0; --groups) {
      peaks += AddGroups<Group, 1>(origin, file, &even, &odd);
      origin += Group::kBytes;
      file += kComparedGroup;
    }
    even.Add(odd);
    max_error = hn::Max(max_error, even.max_error);
    float sums[4];
    FoldLanes(Add(), even.error, even.origin, even.file, hn::Zero(d), sums);
    blocks[i] = {sums[0], sums[1], sums[2], peaks};
  }
  return hn::GetLane(hn::MaxOfLanes(d, max_error));
}

float CompareF32(const uint8_t* origin, const float* file, size_t block, size_t n_blocks,
                 BlockDifference* blocks) {
  return Compare<Numbers<LoadFloats, 4>>(origin, file, block, n_blocks, blocks);
}
float CompareF16(const uint8_t* origin, const float* file, size_t block, size_t n_blocks,
                 BlockDifference* blocks) {
  return Compare<Numbers<LoadHalves, 2>>(origin, file, block, n_blocks, blocks);
}
float CompareBf16(const uint8_t* origin, const float* file, size_t block, size_t n_blocks,
                  BlockDifference* blocks) {
  return Compare<Numbers<LoadUpperHalves, 2>>(origin, file, block, n_blocks, blocks);
}

float CompareQ8_0(const uint8_t* origin, const float* file, size_t block, size_t n_blocks,
                  BlockDifference* blocks) {
  return Compare<Q8_0Block>(origin, file, block, n_blocks, blocks);
}

template <class Group>
HWY_INLINE void Magnitudes(const uint8_t* origin, const float* file, size_t n_groups,
                           GroupMagnitudes* groups) {
  const Floats d;
  for (; n_groups > 0; --n_groups) {
    const Group group(origin);
    FloatVec of_origin = hn::Zero(d), of_file = hn::Zero(d);
    FloatVec products = hn::Zero(d), squares = hn::Zero(d);
    for (size_t i = 0; i < kComparedGroup; i += hn::MaxLanes(d)) {
      const FloatVec o = hn::Abs(group.At(i));
      const FloatVec f = hn::Abs(hn::LoadU(d, file + i));
      of_origin = hn::Add(of_origin, o);
      of_file = hn::Add(of_file, f);
      products = hn::MulAdd(o, f, products);
      squares = hn::MulAdd(o, o, squares);
    }
    float sums[4];
    FoldLanes(Add(), of_origin, of_file, products, squares, sums);
    *groups = {sums[0], sums[1], sums[2], sums[3]};
    origin += Group::kBytes;
    file += kComparedGroup;
    ++groups;
  }
}

void MagnitudesF32(const uint8_t* origin, const float* file, size_t n_groups,
                   GroupMagnitudes* groups) {
  Magnitudes<Numbers<LoadFloats, 4>>(origin, file, n_groups, groups);
}
void MagnitudesF16(const uint8_t* origin, const float* file, size_t n_groups,
                   GroupMagnitudes* groups) {
  Magnitudes<Numbers<LoadHalves, 2>>(origin, file, n_groups, groups);
}
void MagnitudesBf16(const uint8_t* origin, const float* file, size_t n_groups,
                    GroupMagnitudes* groups) {
  Magnitudes<Numbers<LoadUpperHalves, 2>>(origin, file, n_groups, groups);
}
void MagnitudesQ8_0(const uint8_t* origin, const float* file, size_t n_groups,
                    GroupMagnitudes* groups) {
  Magnitudes<Q8_0Block>(origin, file, n_groups, groups);
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
HWY_EXPORT(CompareQ8_0);
HWY_EXPORT(MagnitudesF32);
HWY_EXPORT(MagnitudesF16);
HWY_EXPORT(MagnitudesBf16);
HWY_EXPORT(MagnitudesQ8_0);

}  // namespace

bool IsComparedAsStored(TensorType type, Endian endian) {
  switch (type) {
    case TensorType::kF32:
      return endian == kHostEndian;
    case TensorType::kF16:
    case TensorType::kBF16:
    case TensorType::kQ8_0:
      return endian == kHostEndian && endian == Endian::kLittle;
    default:
      return false;
  }
}

float CompareWeights(TensorType origin_type, const uint8_t* origin, const float* file, size_t block,
                     size_t n_blocks, BlockDifference* blocks) {
  switch (origin_type) {
    case TensorType::kF16:
      return HWY_DYNAMIC_DISPATCH(CompareF16)(origin, file, block, n_blocks, blocks);
    case TensorType::kBF16:
      return HWY_DYNAMIC_DISPATCH(CompareBf16)(origin, file, block, n_blocks, blocks);
    case TensorType::kQ8_0:
      return HWY_DYNAMIC_DISPATCH(CompareQ8_0)(origin, file, block, n_blocks, blocks);
    default:
      return HWY_DYNAMIC_DISPATCH(CompareF32)(origin, file, block, n_blocks, blocks);
  }
}

void SumMagnitudes(TensorType origin_type, const uint8_t* origin, const float* file,
                   size_t n_groups, GroupMagnitudes* groups) {
  switch (origin_type) {
    case TensorType::kF16:
      return HWY_DYNAMIC_DISPATCH(MagnitudesF16)(origin, file, n_groups, groups);
    case TensorType::kBF16:
      return HWY_DYNAMIC_DISPATCH(MagnitudesBf16)(origin, file, n_groups, groups);
    case TensorType::kQ8_0:
      return HWY_DYNAMIC_DISPATCH(MagnitudesQ8_0)(origin, file, n_groups, groups);
    default:
      return HWY_DYNAMIC_DISPATCH(MagnitudesF32)(origin, file, n_groups, groups);
  }
}

}  // namespace gguf
#endif  // HWY_ONCE
