// Keeps the sums of a block in vectors, and the largest weight of each group in
// lanes.
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

void Compare(const float* base, const float* file, size_t block,
             size_t n_blocks, BlockDifference* blocks) {
  const hn::CappedTag<float, 16> d;
  const size_t lanes = hn::Lanes(d);
  for (BlockDifference* const end = blocks + n_blocks; blocks < end; ++blocks) {
    auto error = hn::Zero(d);
    auto of_base = hn::Zero(d);
    auto of_file = hn::Zero(d);
    auto worst = hn::Zero(d);
    float peaks = 0;
    for (size_t group = 0; group < block; group += kComparedGroup) {
      auto peak = hn::Zero(d);
      for (size_t i = 0; i < kComparedGroup; i += lanes) {
        const auto b = hn::LoadU(d, base + i);
        const auto f = hn::LoadU(d, file + i);
        const auto difference = hn::Sub(b, f);
        const auto difference2 = hn::Mul(difference, difference);
        const auto b2 = hn::Mul(b, b);
        error = hn::Add(error, difference2);
        worst = hn::Max(worst, difference2);
        of_base = hn::Add(of_base, b2);
        peak = hn::Max(peak, b2);
        of_file = hn::MulAdd(f, f, of_file);
      }
      peaks += hn::GetLane(hn::MaxOfLanes(d, peak));
      base += kComparedGroup;
      file += kComparedGroup;
    }
    *blocks = {hn::GetLane(hn::SumOfLanes(d, error)),
               hn::GetLane(hn::SumOfLanes(d, of_base)),
               hn::GetLane(hn::SumOfLanes(d, of_file)), peaks,
               hn::GetLane(hn::MaxOfLanes(d, worst))};
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
