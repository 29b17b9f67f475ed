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
  // An implicit constructor would be compiled for another target.
  HWY_INLINE Sums() : error(hn::Zero(Floats())), base(hn::Zero(Floats())) {}

  FloatVec error, base;
};

// Returns the differences.  Subtracts the file's weights, so that x86 can load
// them as a memory operand.
HWY_INLINE FloatVec AddVector(FloatVec base, FloatVec file, Sums* sums) {
  const FloatVec difference = hn::Sub(base, file);
  sums->error = hn::MulAdd(difference, difference, sums->error);
  sums->base = hn::MulAdd(base, base, sums->base);
  return difference;
}

#if HWY_TARGET == HWY_SCALAR

// Stores the totals of a block's lanes.
HWY_INLINE void StoreTotals(const Sums& sums, BlockDifference* block) {
  *block = {hn::GetLane(sums.error), hn::GetLane(sums.base)};
}
HWY_INLINE void StoreTwoTotals(const Sums& first, const Sums& second,
                               BlockDifference* blocks) {
  StoreTotals(first, &blocks[0]);
  StoreTotals(second, &blocks[1]);
}

#else

// Adds up every n-th lane, and stores the n sums.
template <size_t n, class D>
HWY_INLINE void StoreSums(D d, hn::Vec<D> v, float* sums) {
  if constexpr (hn::MaxLanes(D()) > n) {
    const hn::Half<D> half;
    StoreSums<n>(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)),
                 sums);
  } else {
    hn::StoreU(v, d, sums);
  }
}

// Returns partial sums: of errors in even lanes, of bases in odd ones.
HWY_INLINE FloatVec Alternating(const Sums& sums) {
  const Floats d;
  return hn::Add(hn::InterleaveLower(d, sums.error, sums.base),
                 hn::InterleaveUpper(d, sums.error, sums.base));
}

// Stores the totals of a block's lanes.
HWY_INLINE void StoreTotals(const Sums& sums, BlockDifference* block) {
  StoreSums<2>(Floats(), Alternating(sums), &block->error);
}
HWY_INLINE void StoreTwoTotals(const Sums& first, const Sums& second,
                               BlockDifference* blocks) {
  static_assert(sizeof(BlockDifference[2]) == sizeof(float[4]) &&
                offsetof(BlockDifference, error) == 0);
  const hn::Repartition<double, Floats> pairs;
  const auto a = hn::BitCast(pairs, Alternating(first));
  const auto b = hn::BitCast(pairs, Alternating(second));
  const auto lower = hn::InterleaveLower(pairs, a, b);
  const auto upper = hn::InterleaveUpper(pairs, a, b);
  StoreSums<4>(
      Floats(),
      hn::Add(hn::BitCast(Floats(), lower), hn::BitCast(Floats(), upper)),
      &blocks->error);
}

#endif  // HWY_TARGET == HWY_SCALAR

// Compares `n` blocks at once.
template <class Group, size_t n>
HWY_INLINE void CompareSome(const uint8_t* base, const float* file,
                            size_t block, BlockDifference* blocks) {
  const Floats d;
  constexpr size_t kLanes = hn::MaxLanes(Floats());
  const size_t block_bytes = block / kComparedGroup * Group::kBytes;
  // Vectors are added to different sums, so that additions need not wait for
  // each other.
  constexpr size_t kSums = HWY_MIN(kComparedGroup / kLanes, 4 / n);
  Sums sums[n][kSums];
  for (size_t left = block; left > 0; left -= kComparedGroup) {
    for (size_t k = 0; k < n; ++k) {
      const Group group(base + k * block_bytes);
      for (size_t i = 0; i < kComparedGroup; i += kLanes) {
        AddVector(group.At(i), hn::LoadU(d, file + k * block + i),
                  &sums[k][i / kLanes % kSums]);
      }
    }
    base += Group::kBytes;
    file += kComparedGroup;
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 1; i < kSums; ++i) {
      sums[k][0].error = hn::Add(sums[k][0].error, sums[k][i].error);
      sums[k][0].base = hn::Add(sums[k][0].base, sums[k][i].base);
    }
  }
  if constexpr (n == 1) {
    StoreTotals(sums[0][0], blocks);
  } else {
    StoreTwoTotals(sums[0][0], sums[1][0], blocks);
  }
}

template <class Group>
HWY_INLINE void Compare(const uint8_t* base, const float* file, size_t block,
                        size_t n_blocks, BlockDifference* blocks) {
  const size_t block_bytes = block / kComparedGroup * Group::kBytes;
  // Two blocks at once need fewer sums.  Large blocks are too far apart for the
  // hardware prefetcher (measured).
  constexpr size_t kLarge = 128;
  size_t i = 0;
  if (block < kLarge) {
    for (; i + 2 <= n_blocks; i += 2) {
      CompareSome<Group, 2>(base + i * block_bytes, file + i * block, block,
                            blocks + i);
    }
  }
  for (; i < n_blocks; ++i) {
    CompareSome<Group, 1>(base + i * block_bytes, file + i * block, block,
                          blocks + i);
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

#if HWY_TARGET == HWY_SCALAR

BlockTotals Totals(const BlockDifference* blocks, size_t n, float usual) {
  BlockTotals totals;
  for (const BlockDifference* const end = blocks + n; blocks < end; ++blocks) {
    const double base = blocks->base;
    totals.error += blocks->error;
    totals.base += base;
    totals.base_squares += base * base;
    totals.largest = HWY_MAX(totals.largest, blocks->error);
    totals.are_usual &= IsUsual(*blocks, usual);
  }
  return totals;
}

#else

// Adds two blocks at a time: lanes of errors alternate with lanes of bases.
BlockTotals Totals(const BlockDifference* blocks, size_t n, float usual) {
  const hn::FixedTag<float, 4> d;
  const hn::Half<decltype(d)> half;
  const hn::FixedTag<double, 2> d64;
  const auto factor = hn::Set(d, usual);
  auto first_sums = hn::Zero(d64), second_sums = hn::Zero(d64);
  auto first_squares = hn::Zero(d64), second_squares = hn::Zero(d64);
  auto largest = hn::Zero(d);
  auto are_usual = hn::VecFromMask(d, hn::Eq(largest, largest));
  const auto add = [&](hn::Vec<decltype(d)> two) {
    const auto first = hn::PromoteTo(d64, hn::LowerHalf(half, two));
    const auto second = hn::PromoteTo(d64, hn::UpperHalf(half, two));
    first_sums = hn::Add(first_sums, first);
    second_sums = hn::Add(second_sums, second);
    first_squares = hn::MulAdd(first, first, first_squares);
    second_squares = hn::MulAdd(second, second, second_squares);
    largest = hn::Max(largest, two);
    const auto most = hn::Mul(factor, hn::DupOdd(two));
    are_usual = hn::And(are_usual, hn::VecFromMask(d, hn::Le(two, most)));
  };
  size_t i = 0;
  for (; i + 2 <= n; i += 2) add(hn::LoadU(d, &blocks[i].error));
  if (i < n) add(hn::ZeroExtendVector(d, hn::LoadU(half, &blocks[i].error)));
  alignas(16) double sums[2], squares[2];
  alignas(16) float most[4];
  hn::Store(hn::Add(first_sums, second_sums), d64, sums);
  hn::Store(hn::Add(first_squares, second_squares), d64, squares);
  hn::Store(largest, d, most);
  return {sums[0], sums[1], squares[1], HWY_MAX(most[0], most[2]),
          hn::AllTrue(d, hn::MaskFromVec(hn::DupEven(are_usual)))};
}

#endif  // HWY_TARGET == HWY_SCALAR

ExaminedBlock Examine(const float* base, const float* file, size_t block) {
  const Floats d;
  Sums sums;
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
  BlockDifference totals;
  StoreTotals(sums, &totals);
  return {totals, hn::GetLane(hn::SumOfLanes(d, of_file)), peaks,
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
HWY_EXPORT(Totals);
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

BlockTotals AddUp(const BlockDifference* blocks, size_t n, float usual) {
  return HWY_DYNAMIC_DISPATCH(Totals)(blocks, n, usual);
}

ExaminedBlock ExamineBlock(const float* base, const float* file, size_t block) {
  return HWY_DYNAMIC_DISPATCH(Examine)(base, file, block);
}

}  // namespace gguf
#endif  // HWY_ONCE
