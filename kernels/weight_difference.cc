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

FloatVec AllF16(const uint8_t* number) { return LoadHalves(number); }

#else

FloatVec LoadFloats(const uint8_t* numbers) {
  const hn::Repartition<uint8_t, Floats> bytes;
  return hn::BitCast(Floats(), hn::LoadU(bytes, numbers));
}

#endif  // HWY_TARGET == HWY_SCALAR

// A group of a base that stores numbers of `bytes` bytes.
template <FloatVec (*load)(const uint8_t* numbers), size_t bytes>
struct Numbers {
  static constexpr size_t kBytes = bytes * kComparedGroup;

  HWY_INLINE explicit Numbers(const uint8_t* group) : numbers(group) {}
  // Returns a vector of weights, of which `i` is the first.
  HWY_INLINE FloatVec At(size_t i) const { return load(numbers + bytes * i); }

  const uint8_t* numbers;
};

// A group of a base of type Q8_0 (legacy_quants.cc).
struct Q8_0Block {
  static constexpr size_t kBytes = 34;

  HWY_INLINE explicit Q8_0Block(const uint8_t* group)
      : scale(AllF16(group)),
        codes(reinterpret_cast<const int8_t*>(group) + 2) {}
  HWY_INLINE FloatVec At(size_t i) const {
    const hn::Rebind<int8_t, Floats> d8;
    const hn::Rebind<int32_t, Floats> d32;
    const auto ints = hn::PromoteTo(d32, hn::LoadU(d8, codes + i));
    return hn::Mul(scale, hn::ConvertTo(Floats(), ints));
  }

  FloatVec scale;
  const int8_t* codes;
};

struct Sums {
  FloatVec error, base;
};

HWY_INLINE Sums NoSums() { return {hn::Zero(Floats()), hn::Zero(Floats())}; }

// Returns the differences.
HWY_INLINE FloatVec AddVector(FloatVec base, FloatVec file, Sums* sums) {
  const FloatVec difference = hn::Sub(file, base);
  sums->error = hn::MulAdd(difference, difference, sums->error);
  sums->base = hn::MulAdd(base, base, sums->base);
  return difference;
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE BlockDifference Total(const Sums& sums) {
  return {hn::GetLane(sums.error), hn::GetLane(sums.base)};
}

#else

// Adds up every second lane, and stores the two sums.
template <class D>
HWY_INLINE void StorePair(D d, hn::Vec<D> v, float* sums) {
  if constexpr (hn::MaxLanes(D()) > 2) {
    const hn::Half<D> half;
    StorePair(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)),
              sums);
  } else {
    hn::StoreU(v, d, sums);
  }
}

HWY_INLINE BlockDifference Total(const Sums& sums) {
  const Floats d;
  float both[2];
  StorePair(d,
            hn::Add(hn::InterleaveLower(d, sums.error, sums.base),
                    hn::InterleaveUpper(d, sums.error, sums.base)),
            both);
  return {both[0], both[1]};
}

#endif  // HWY_TARGET == HWY_SCALAR

template <class Group>
HWY_INLINE void Compare(const uint8_t* base, const float* file, size_t block,
                        size_t n_blocks, BlockDifference* blocks) {
  const Floats d;
  constexpr size_t kLanes = hn::MaxLanes(Floats());
  // Vectors are added to different sums, so that additions need not wait for
  // each other.
  constexpr size_t kSums = HWY_MIN(kComparedGroup / kLanes, 4);
  for (BlockDifference* const end = blocks + n_blocks; blocks < end; ++blocks) {
    Sums sums[kSums];
    for (Sums& some : sums) some = NoSums();
    for (size_t left = block; left > 0; left -= kComparedGroup) {
      const Group group(base);
      for (size_t i = 0; i < kComparedGroup; i += kLanes) {
        AddVector(group.At(i), hn::LoadU(d, file + i),
                  &sums[i / kLanes % kSums]);
      }
      base += Group::kBytes;
      file += kComparedGroup;
    }
    for (size_t i = 1; i < kSums; ++i) {
      sums[0].error = hn::Add(sums[0].error, sums[i].error);
      sums[0].base = hn::Add(sums[0].base, sums[i].base);
    }
    *blocks = Total(sums[0]);
  }
}

void CompareF32(const uint8_t* base, const float* file, size_t block,
                size_t n_blocks, BlockDifference* blocks) {
  Compare<Numbers<LoadFloats, 4>>(base, file, block, n_blocks, blocks);
}
void CompareF16(const uint8_t* base, const float* file, size_t block,
                size_t n_blocks, BlockDifference* blocks) {
  Compare<Numbers<LoadHalves, 2>>(base, file, block, n_blocks, blocks);
}
void CompareBf16(const uint8_t* base, const float* file, size_t block,
                 size_t n_blocks, BlockDifference* blocks) {
  Compare<Numbers<LoadUpperHalves, 2>>(base, file, block, n_blocks, blocks);
}

void CompareQ8_0(const uint8_t* base, const float* file, size_t block,
                 size_t n_blocks, BlockDifference* blocks) {
  Compare<Q8_0Block>(base, file, block, n_blocks, blocks);
}

ExaminedBlock Examine(const float* base, const float* file, size_t block) {
  const Floats d;
  Sums sums = NoSums();
  FloatVec of_file = hn::Zero(d), worst = hn::Zero(d);
  float peaks = 0;
  for (size_t group = 0; group < block; group += kComparedGroup) {
    FloatVec peak = hn::Zero(d);
    for (size_t i = group; i < group + kComparedGroup; i += hn::Lanes(d)) {
      const FloatVec b = hn::LoadU(d, base + i), f = hn::LoadU(d, file + i);
      worst = hn::Max(worst, hn::Abs(AddVector(b, f, &sums)));
      of_file = hn::MulAdd(f, f, of_file);
      peak = hn::Max(peak, hn::Abs(b));
    }
    const float most = hn::GetLane(hn::MaxOfLanes(d, peak));
    peaks += most * most;
  }
  return {Total(sums), hn::GetLane(hn::SumOfLanes(d, of_file)), peaks,
          hn::GetLane(hn::MaxOfLanes(d, worst))};
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
HWY_EXPORT(Examine);

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

void CompareWeights(TensorType base_type, const uint8_t* base,
                    const float* file, size_t block, size_t n_blocks,
                    BlockDifference* blocks) {
  switch (base_type) {
    case TensorType::kF16:
      HWY_DYNAMIC_DISPATCH(CompareF16)(base, file, block, n_blocks, blocks);
      break;
    case TensorType::kBF16:
      HWY_DYNAMIC_DISPATCH(CompareBf16)(base, file, block, n_blocks, blocks);
      break;
    case TensorType::kQ8_0:
      HWY_DYNAMIC_DISPATCH(CompareQ8_0)(base, file, block, n_blocks, blocks);
      break;
    default:
      HWY_DYNAMIC_DISPATCH(CompareF32)(base, file, block, n_blocks, blocks);
  }
}

ExaminedBlock ExamineBlock(const float* base, const float* file, size_t block) {
  return HWY_DYNAMIC_DISPATCH(Examine)(base, file, block);
}

}  // namespace gguf
#endif  // HWY_ONCE
