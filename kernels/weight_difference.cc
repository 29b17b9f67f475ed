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

// Returns the sum of the largest lanes of kGroups vectors, which it changes.
HWY_INLINE float SumOfPeaks(FloatVec* peaks) {
#if HWY_TARGET == HWY_SCALAR
  float sum = 0;
  for (size_t i = 0; i < kGroups; ++i) sum += hn::GetLane(peaks[i]);
  return sum;
#else
  const Floats d;
  // Halves the lanes of each group, and so the vectors.
  size_t vectors = kGroups;
  size_t lanes = hn::Lanes(d);  // Of each group.
  for (; vectors > 1 && lanes > 1; vectors /= 2, lanes /= 2) {
    for (size_t i = 0; i < vectors / 2; ++i) {
      const FloatVec a = peaks[2 * i], b = peaks[2 * i + 1];
      peaks[i] = hn::Max(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
    }
  }
  // Two lanes become equal, and count half.
  if (lanes == 2) peaks[0] = hn::Max(peaks[0], hn::Reverse2(d, peaks[0]));
  FloatVec sum = peaks[0];
  for (size_t i = 1; i < vectors; ++i) sum = hn::Add(sum, peaks[i]);
  return hn::GetLane(hn::SumOfLanes(d, sum)) / static_cast<float>(lanes);
#endif
}

void Compare(const float* base, const float* file, size_t block,
             size_t n_blocks, BlockDifference* blocks) {
  const Floats d;
  for (BlockDifference* const end = blocks + n_blocks; blocks < end; ++blocks) {
    Sums even = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    Sums odd = even;
    float peaks = 0;
    size_t group = 0;
    const size_t groups = block / kComparedGroup;
    for (; group + kGroups <= groups; group += kGroups) {
      FloatVec peak[kGroups];
      for (size_t i = 0; i < kGroups; ++i) {
        peak[i] = AddGroup(base, file, &even, &odd);
        base += kComparedGroup;
        file += kComparedGroup;
      }
      peaks += SumOfPeaks(peak);
    }
    for (; group < groups; ++group) {
      const FloatVec peak = AddGroup(base, file, &even, &odd);
      peaks += hn::GetLane(hn::MaxOfLanes(d, peak));
      base += kComparedGroup;
      file += kComparedGroup;
    }
    const auto sum = [&](FloatVec a, FloatVec b) {
      return hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
    };
    *blocks = {sum(even.error, odd.error), sum(even.base, odd.base),
               sum(even.file, odd.file), peaks,
               hn::GetLane(hn::MaxOfLanes(d, hn::Max(even.worst, odd.worst)))};
  }
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

void CompareWeights(const float* base, const float* file, size_t block,
                    size_t n_blocks, BlockDifference* blocks) {
  HWY_DYNAMIC_DISPATCH(Compare)(base, file, block, n_blocks, blocks);
}

}  // namespace gguf
#endif  // HWY_ONCE
