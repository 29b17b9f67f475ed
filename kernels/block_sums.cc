// Adds one block for each lane of a vector at a time.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/block_sums.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_sums.cc"
#include "hwy/foreach_target.h"  // Must come before highway.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace gguf {
namespace HWY_NAMESPACE {
namespace {

bool AddBlock(const BlockDifference& block, const BlockLimits& limits,
              BlockSums* sums) {
  const double base = block.base;
  sums->error += block.error;
  sums->base += base;
  sums->file += block.file;
  sums->peaks += block.peaks;
  sums->base_squares += base * base;
  return block.error <= limits.most_of_base * block.base &&
         block.error <= std::max(limits.of_base * block.base,
                                 limits.of_peaks * block.peaks);
}

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64 || HWY_HAVE_SCALABLE

size_t AddVectors(const BlockDifference* /*blocks*/, size_t /*n*/,
                  const BlockLimits& /*limits*/, BlockSums* /*sums*/,
                  bool* /*are_small*/) {
  return 0;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatVec = hn::Vec<Floats>;
using Doubles = hn::RepartitionToWide<Floats>;
using DoubleVec = hn::Vec<Doubles>;
static_assert(sizeof(BlockDifference) == 4 * sizeof(float));

// Both halves of a vector of floats.
struct Wide {
  explicit Wide(FloatVec v)
      : low(hn::PromoteTo(Doubles(), hn::LowerHalf(v))),
        high(hn::PromoteTo(Doubles(),
                           hn::UpperHalf(hn::Half<Floats>(), v))) {}
  DoubleVec Sum() const { return hn::Add(low, high); }

  DoubleVec low, high;
};

// Adds as many blocks as fill vectors.  Returns their number, and clears
// `are_small` if any is not.
size_t AddVectors(const BlockDifference* blocks, size_t n,
                  const BlockLimits& limits, BlockSums* sums, bool* are_small) {
  const Floats d;
  const Doubles wide;
  const size_t lanes = hn::Lanes(d);
  DoubleVec errors = hn::Zero(wide), bases = errors, files = errors,
            all_peaks = errors, squares = errors;
  auto small = hn::FirstN(d, lanes);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    FloatVec error, base, file, peaks;
    hn::LoadInterleaved4(d, &blocks[i].error, error, base, file, peaks);
    const Wide both(base);
    errors = hn::Add(errors, Wide(error).Sum());
    bases = hn::Add(bases, both.Sum());
    files = hn::Add(files, Wide(file).Sum());
    all_peaks = hn::Add(all_peaks, Wide(peaks).Sum());
    squares = hn::MulAdd(both.low, both.low,
                         hn::MulAdd(both.high, both.high, squares));
    const FloatVec most = hn::Mul(base, hn::Set(d, limits.most_of_base));
    const FloatVec limit = hn::Max(hn::Mul(base, hn::Set(d, limits.of_base)),
                                   hn::Mul(peaks, hn::Set(d, limits.of_peaks)));
    small =
        hn::And(small, hn::And(hn::Le(error, most), hn::Le(error, limit)));
  }
  sums->error += hn::GetLane(hn::SumOfLanes(wide, errors));
  sums->base += hn::GetLane(hn::SumOfLanes(wide, bases));
  sums->file += hn::GetLane(hn::SumOfLanes(wide, files));
  sums->peaks += hn::GetLane(hn::SumOfLanes(wide, all_peaks));
  sums->base_squares += hn::GetLane(hn::SumOfLanes(wide, squares));
  *are_small &= hn::AllTrue(d, small);
  return i;
}

#endif

bool Add(const BlockDifference* blocks, size_t n, const BlockLimits& limits,
         BlockSums* sums) {
  bool are_small = true;
  for (size_t i = AddVectors(blocks, n, limits, sums, &are_small); i < n; ++i) {
    are_small &= AddBlock(blocks[i], limits, sums);
  }
  return are_small;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace gguf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gguf {
namespace {

HWY_EXPORT(Add);

}  // namespace

bool AddBlocks(const BlockDifference* blocks, size_t n,
               const BlockLimits& limits, BlockSums* sums) {
  return HWY_DYNAMIC_DISPATCH(Add)(blocks, n, limits, sums);
}

}  // namespace gguf
#endif  // HWY_ONCE
