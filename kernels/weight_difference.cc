// Keeps the sums of a block in vectors.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_difference.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/weight_difference.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using FloatVec = hn::Vec<Floats>;

// Groups whose largest weights are added up at a time.
constexpr size_t kGroups = 8;

struct Sums {
  FloatVec error, base, file, worst;
};

// Adds a vector to the sums.  Returns the squares of the base's weights.
HWY_INLINE FloatVec AddVector(const float* base, const float* file,
                              Sums* sums) {
  const Floats d;
  const FloatVec b = hn::LoadU(d, base);
  const FloatVec f = hn::LoadU(d, file);
  const FloatVec difference = hn::Sub(b, f);
  const FloatVec difference2 = hn::Mul(difference, difference);
  const FloatVec b2 = hn::Mul(b, b);
  sums->error = hn::Add(sums->error, difference2);
  sums->worst = hn::Max(sums->worst, difference2);
  sums->base = hn::Add(sums->base, b2);
  sums->file = hn::MulAdd(f, f, sums->file);
  return b2;
}

// Adds a group to the sums, which are two because an addition takes several
// cycles.  Returns the squares of the largest weights of the base, by lane.
HWY_INLINE FloatVec AddGroup(const float* base, const float* file, Sums* even,
                             Sums* odd) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  FloatVec peak = hn::Zero(d);
  for (size_t i = 0; i < kComparedGroup; i += 2 * lanes) {
    const FloatVec first = AddVector(base + i, file + i, even);
    const FloatVec second = AddVector(base + i + lanes, file + i + lanes, odd);
    peak = hn::Max(peak, hn::Max(first, second));
  }
  return peak;
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE FloatVec SumOfPeaks(const FloatVec* peaks) {
  FloatVec sum = peaks[0];
  for (size_t i = 1; i < kGroups; ++i) sum = hn::Add(sum, peaks[i]);
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

// Returns a vector of which the lanes' sum is that of the largest lanes of
// kGroups vectors.
HWY_INLINE FloatVec SumOfPeaks(const FloatVec* peaks) {
  const Floats d;
  const auto merge_four = [](const FloatVec* four) {
    return MergePeaks(MergePeaks(four[0], four[1]),
                      MergePeaks(four[2], four[3]));
  };
  // Each 128 bits have one lane of each vector.
  const FloatVec a = merge_four(peaks), b = merge_four(peaks + 4);
  if constexpr (hn::MaxLanes(Floats()) == 4) return hn::Add(a, b);
  const FloatVec sum =
      hn::Max(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
  if constexpr (hn::MaxLanes(Floats()) == 8) return sum;
  // Two lanes of each vector become equal, and count half.
  return hn::Mul(hn::Max(sum, hn::SwapAdjacentBlocks(sum)), hn::Set(d, 0.5f));
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

// Adds up to kGroups groups to the sums.  Returns a vector of which the lanes'
// sum is that of the groups' peaks.
//
// gcc runs out of registers if it unrolls the loop, so `n` is no constant.
HWY_INLINE FloatVec AddGroups(const float* base, const float* file, size_t n,
                              Sums* even, Sums* odd) {
  FloatVec peaks[kGroups];
  for (size_t i = 0; i < n; ++i) {
    peaks[i] = AddGroup(base + i * kComparedGroup, file + i * kComparedGroup,
                        even, odd);
  }
  for (size_t i = n; i < kGroups; ++i) peaks[i] = hn::Zero(Floats());
  return SumOfPeaks(peaks);
}

float Compare(const float* base, const float* file, size_t block,
              size_t n_blocks, BlockDifference* blocks) {
  const Floats d;
  FloatVec worst = hn::Zero(d);
  for (BlockDifference* const end = blocks + n_blocks; blocks < end; ++blocks) {
    Sums even = {hn::Zero(d), hn::Zero(d), hn::Zero(d), worst};
    Sums odd = even;
    FloatVec peaks = hn::Zero(d);
    for (size_t left = block / kComparedGroup; left > 0;) {
      const size_t n = HWY_MIN(left, kGroups);
      peaks = hn::Add(peaks, AddGroups(base, file, n, &even, &odd));
      base += n * kComparedGroup;
      file += n * kComparedGroup;
      left -= n;
    }
    float sums[4];
    StoreSums(hn::Add(even.error, odd.error), hn::Add(even.base, odd.base),
              hn::Add(even.file, odd.file), peaks, sums);
    *blocks = {sums[0], sums[1], sums[2], sums[3]};
    worst = hn::Max(even.worst, odd.worst);
  }
  return hn::GetLane(hn::MaxOfLanes(d, worst));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gguf {
namespace {

HWY_EXPORT(Compare);

}  // namespace

float CompareWeights(const float* base, const float* file, size_t block,
                     size_t n_blocks, BlockDifference* blocks) {
  return HWY_DYNAMIC_DISPATCH(Compare)(base, file, block, n_blocks, blocks);
}

}  // namespace gguf
#endif  // HWY_ONCE
