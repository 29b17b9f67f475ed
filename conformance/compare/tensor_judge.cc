// Compares sums of squares with the bounds of the types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/tensor_judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "conformance/tables/loss_bounds.h"

namespace gguf {
namespace {

// The table has millionths.
double Fraction(int32_t millionths) { return millionths * 1e-6; }

// Half of the smallest step of an f16: the error of a scale that underflows.
constexpr double kHalfStep = 0x1p-25;

using BoundsById = std::array<std::optional<LossBound>, kGgufTensorTypes>;

LossBound BoundOf(const LossBoundRow& row) {
  LossBound bound;
  // The largest error of one weight; if the errors of many weights are spread
  // evenly up to it, their root mean square is that divided by the root of 3.
  const double absolute = row.levels * kHalfStep;
  constexpr double kMargin = 1.15;
  bound.tensor = {Fraction(row.peak), Fraction(row.rms), kMargin * absolute / std::sqrt(3.0)};
  bound.block = {Fraction(row.block_peak), Fraction(row.block_rms), absolute};
  bound.scale_down = row.scale_down * 1e-2;
  bound.scale_up = row.scale_up * 1e-2;
  bound.least_slope = row.slope * 1e-2;
  bound.uneven = row.uneven * 1e-2;
  return bound;
}

const BoundsById& Bounds() {
  static const auto& bounds = *new BoundsById([] {
    BoundsById all;
    for (const LossBoundRow& row : kLossBounds) {
      for (size_t id = 0; id < all.size(); ++id) {
        if ((row.types >> id & 1) != 0) all[id] = BoundOf(row);
      }
    }
    return all;
  }());
  return bounds;
}

// Returns the loss of a tensor of one type and one of another that were both
// made from the same weights.
Loss TogetherOfTensors(const LossBound& a, const LossBound& b) {
  if (a.is_float() && b.is_float()) {
    return {0, a.tensor.of_rms + b.tensor.of_rms, a.tensor.absolute + b.tensor.absolute};
  }
  // Independent errors: their squares add up.
  return {std::hypot(a.tensor.of_peak, b.tensor.of_peak),
          std::hypot(a.tensor.of_rms, b.tensor.of_rms),
          std::hypot(a.tensor.absolute, b.tensor.absolute)};
}

Loss TogetherOfBlocks(const LossBound& a, const LossBound& b) {
  return {a.block.of_peak + b.block.of_peak, a.block.of_rms + b.block.of_rms,
          a.block.absolute + b.block.absolute};
}

// Returns the loss of a tensor of this many blocks, between that of many and
// that of one.
Loss LossOfBlocks(const Loss& many, const Loss& one, double blocks) {
  const double few = 1 / std::max(blocks, 1.0);
  const auto between = [&](double of_many, double of_one) {
    return of_many + (of_one - of_many) * few;
  };
  return {between(many.of_peak, one.of_peak), between(many.of_rms, one.of_rms),
          between(many.absolute, one.absolute)};
}

// What a group may lose in comparison with a block: there are several in each,
// and so as many chances for a larger loss.
constexpr double kGroupOfBlock = 1.5;

// Weights whose peaks are less than this are even: many have nearly the same
// magnitude, as ternary and uniform ones do, and so the same error.
constexpr double kEven = 3.2;
bool IsEven(double origin, double peaks) { return peaks < kEven * origin; }
// What even weights may lose in comparison with others: those that lie between
// two levels of a type lose more than any mixture of weights.
constexpr double kEvenLoss = 1.3;

double Square(double x) { return x * x; }
double Root(double square) { return std::sqrt(std::max(square, 0.0)); }

// Returns `peaks` in units of `origin`: each stands for the weights of its
// group.
double PeaksOf(const BlockDifference& block) {
  return static_cast<double>(block.peaks) * kComparedGroup;
}

// Returns whether weights whose squares have the sum `origin` are so small that
// f16 scales lose them.
bool IsTiny(const Loss& loss, double n, double origin) {
  const double least = 4 * loss.absolute;
  return origin <= n * least * least;
}

// Weights and what any type makes of them have at least this cosine of the
// angle between them; unrelated blocks of 256 have 0, give or take 0.06.
constexpr double kMostCosine = 0.2;
// A type of one bit has a cosine of the mean magnitude over the rms, which
// outliers make small.
double LeastCosine(double origin, double peaks) {
  constexpr double kOfPeak = 0.4;
  return origin < peaks * Square(kMostCosine / kOfPeak) ? kOfPeak * std::sqrt(origin / peaks)
                                                        : kMostCosine;
}

// Returns the smaller of `largest` and the squared error of weights with the
// least cosine whose squares have the sum `file`.  Zeros exceed it.
double AtMostUnrelated(double origin, double peaks, double file, double largest) {
  constexpr double kOfZeros = 0.98;
  if (file == 0) return std::min(largest, kOfZeros * origin);
  // The root of a product is at most the mean, so most blocks need no root.
  if (largest <= (1 - kMostCosine) * (origin + file)) return largest;
  const double cosine = LeastCosine(origin, peaks);
  return std::min(largest, origin + file - 2 * cosine * std::sqrt(origin * file));
}

// Returns whether a group of weights is a coarse version of the origin's: by
// the cosine of the angle between them, and by the regression on the origin.
// Those of groups whose scale was fitted to few weights were at least 0.62, and
// 0.29 to 2.6 (measured with ggml's quantizers).
bool Follows(const BlockDifference& group) {
  constexpr double kLeastCosine = 0.6, kLeastGain = 0.2, kMostGain = 3;
  const double origin = group.origin, file = group.file;
  const double products = (origin + file - group.error) / 2;
  return origin > 0 && products >= kLeastCosine * std::sqrt(origin * file) &&
         products >= kLeastGain * origin && products <= kMostGain * origin;
}

// Returns how many blocks of equal size a tensor has in effect: 1 if all
// weights outside one block are zero.
double EffectiveBlocks(const DifferenceSums& sums, double blocks) {
  if (!(sums.origin_squares > 0)) return blocks;
  return std::clamp(sums.all.origin * sums.all.origin / sums.origin_squares, 1.0,
                    std::max(blocks, 1.0));
}

}  // namespace

const LossBound* FindLossBound(const TensorTypeInfo& type) {
  if (type.id >= kGgufTensorTypes || !Bounds()[type.id]) return nullptr;
  return &*Bounds()[type.id];
}

void MagnitudeSlope::AddBlock(TensorType origin_type, const uint8_t* origin, const float* file) {
  // Groups whose magnitudes vary less than this, as a part of their squares,
  // show no slope: one magnitude represents them well.
  constexpr float kLeastVariance = 0.12f;
  constexpr float kPerWeight = 1.0f / kComparedGroup;
  std::array<GroupMagnitudes, kBlock / kComparedGroup> groups;
  SumMagnitudes(origin_type, origin, file, groups.size(), groups.data());
  float squares = 0, covariance = 0, variance = 0;
  uint64_t shown = 0;
  for (const GroupMagnitudes& group : groups) {
    squares += group.squares;
    const float of_group = group.squares - group.origin * group.origin * kPerWeight;
    // Zeros have lost everything, which the error shows.
    if (!(group.file > 0 && of_group > 0 && of_group >= kLeastVariance * group.squares)) {
      continue;
    }
    covariance += group.products - group.origin * group.file * kPerWeight;
    variance += of_group;
    ++shown;
  }
  if (shown == 0 || !std::isfinite(squares + covariance)) return;
  groups_ += shown;
  // In units of the block's squares.
  covariance_ += static_cast<double>(covariance) / squares;
  variance_ += static_cast<double>(variance) / squares;
}

void MagnitudeSlope::Add(const MagnitudeSlope& other) {
  covariance_ += other.covariance_;
  variance_ += other.variance_;
  groups_ += other.groups_;
}

std::optional<double> MagnitudeSlope::Slope() const {
  constexpr uint64_t kLeastGroups = 64;  // Of fewer, the slope is uncertain.
  if (groups_ < kLeastGroups) return std::nullopt;
  const double slope = covariance_ / variance_;
  constexpr double kRounding = 1e-6;  // Of the sums, which are floats.
  return std::abs(slope) < kRounding ? 0 : slope;
}

void DifferenceSums::Squares::Add(const Squares& other) {
  error += other.error;
  origin += other.origin;
  file += other.file;
  peaks += other.peaks;
}

void DifferenceSums::Worst::Add(const Worst& other) {
  if (other.excess > excess || (other.excess == excess && other.at < at)) {
    *this = other;
  }
}

void DifferenceSums::Add(const DifferenceSums& other) {
  all.Add(other.all);
  origin_squares += other.origin_squares;
  max_error = std::max(max_error, other.max_error);
  uneven.blocks += other.uneven.blocks;
  uneven.sums.Add(other.uneven.sums);
  uneven.worst.Add(other.uneven.worst);
  worst.Add(other.worst);
  bad_blocks += other.bad_blocks;
  bad_error += other.bad_error;
  slope.Add(other.slope);
}

TensorJudge::TensorJudge(const TensorTypeInfo& type, const LossBound& file, const LossBound& origin)
    : file_(file),
      origin_(origin),
      tensor_(TogetherOfTensors(file, origin)),
      block_(TogetherOfBlocks(file, origin)),
      uneven_(std::max(file.uneven, origin.uneven)),
      block_weights_(kMostBlock) {
  // Most blocks lose less than this times what a tensor of Gaussian weights may
  // lose, both squared.  One that loses more may have a wrong group.
  constexpr double kSuspect = 1.5;
  // The peaks of Gaussian weights, in multiples of their rms, both squared.
  constexpr double kGaussianPeaks = 4.5;
  suspect_ = kSuspect * std::max(Square(tensor_.of_rms), kGaussianPeaks * Square(tensor_.of_peak));
  // A wrong group loses more than this part of the squares of its block.
  constexpr double kOfWrongGroup = 0.1;
  const uint64_t elements = type.block_elements;
  const bool is_small = elements >= kComparedGroup && elements * 4 <= kMostBlock;
  if (is_small) group_weights_ = elements;
  if (is_small && suspect_ < kOfWrongGroup) {
    groups_are_blocks_ = true;
  } else if (elements * 4 >= kMostBlock) {
    block_weights_ = elements;
  }
}

// Returns the error of a block in multiples of what it may be, both squared.
double TensorJudge::ExcessOf(const Loss& loss, uint64_t n, bool is_whole,
                             const BlockDifference& block) const {
  if (block.error == 0) return 0;
  const double peaks = PeaksOf(block);
  double largest = loss.Largest(n, block.origin, peaks);
  if (is_whole && !IsTiny(loss, n, block.origin)) {
    largest = AtMostUnrelated(block.origin, peaks, block.file, largest);
  }
  const double excess = block.error / largest;
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

double TensorJudge::ExcessOfBlock(uint64_t n, const BlockDifference& block) const {
  return ExcessOf(block_, n, n == block_weights_, block);
}

double TensorJudge::ExcessOfGroup(const BlockDifference& group) const {
  const Loss loss = {kGroupOfBlock * block_.of_peak, kGroupOfBlock * block_.of_rms,
                     kGroupOfBlock * block_.absolute};
  return ExcessOf(loss, group_weights_, true, group);
}

// Returns whether a block loses more than most blocks of a tensor may.
bool TensorJudge::IsHeavy(uint64_t n, const BlockDifference& block) const {
  constexpr double kHeavy = 1.5;  // Times the bound of a tensor.
  return block.error > Square(kHeavy) * tensor_.Largest(n, block.origin, PeaksOf(block));
}

// Returns whether an importance matrix that favors a few columns explains the
// error of a block.  The scales of the groups around these columns were fitted
// to their weights, so these few groups have nearly all of the error, and they
// still follow the origin.
bool TensorJudge::IsUneven(const BlockDifference& block, const BlockDifference* groups) const {
  // A group that loses no more than a block may needs no explanation.
  constexpr double kUsualExcess = 1 / (kGroupOfBlock * kGroupOfBlock);
  // The largest three of eight groups had at least 0.95 of the error, and 0.7
  // if the weights were even; in rows of wrong weights, at most 0.58.
  constexpr double kLeastShare = 0.65;
  const uint64_t n = block_weights_ / group_weights_;
  std::array<double, kMostBlock / kComparedGroup> errors;
  for (uint64_t i = 0; i < n; ++i) {
    const double excess = ExcessOfGroup(groups[i]);
    if (excess > kUsualExcess && !(excess <= Square(uneven_) && Follows(groups[i]))) {
      return false;
    }
    errors[i] = groups[i].error;
  }
  std::sort(errors.begin(), errors.begin() + n, std::greater<>());
  const double of_few = std::accumulate(errors.begin(), errors.begin() + n * 3 / 8, 0.0);
  return of_few >= kLeastShare * block.error;
}

bool TensorJudge::NeedsGroups(uint64_t n, const BlockDifference& block) const {
  if (block.error <= suspect_ * block.origin) return false;
  return groups_are_blocks_ || (uneven_ > 0 && (IsHeavy(n, block) || ExcessOfBlock(n, block) > 1));
}

void TensorJudge::Add(uint64_t begin, uint64_t n, const BlockDifference& block,
                      const BlockDifference* groups, DifferenceSums* sums) const {
  const double origin = block.origin;
  const DifferenceSums::Squares squares = {block.error, origin, block.file, PeaksOf(block)};
  sums->all.Add(squares);
  sums->origin_squares += origin * origin;
  double excess = ExcessOfBlock(n, block);
  // A group that is a block of the type may be wrong in a block that is not, if
  // the other groups lose less.
  if (groups != nullptr && groups_are_blocks_) {
    for (uint64_t i = 0; i < block_weights_ / group_weights_; ++i) {
      excess = std::max(excess, ExcessOfGroup(groups[i]));
    }
  }
  if (groups != nullptr && uneven_ > 0 && (excess > 1 || IsHeavy(n, block)) &&
      IsUneven(block, groups)) {
    ++sums->uneven.blocks;
    sums->uneven.sums.Add(squares);
    sums->uneven.worst.Add({excess, begin});
    return;
  }
  if (excess > 1) {
    ++sums->bad_blocks;
    sums->bad_error += block.error;
  }
  sums->worst.Add({excess, begin});
}

void TensorJudge::JudgeScale(const DifferenceSums& sums, double blocks,
                             ComparedTensor* result) const {
  const DifferenceSums::Squares& all = sums.all;
  const Loss loss = LossOfBlocks(tensor_, block_, blocks);
  const double n = static_cast<double>(result->weights);
  result->scale_judged =
      file_.shows_scale() && origin_.shows_scale() && !IsTiny(loss, n, all.origin);
  constexpr double kRounding = 1e-3;
  double spread = kRounding;
  if (file_.is_float() && origin_.is_float()) {
    // Equal floats have equal errors, so their number does not count.
    spread += loss.of_rms;
  } else if (IsEven(all.origin, all.peaks)) {
    spread += result->bound;
  } else {
    // The scale of few weights is less certain.
    const double weights =
        blocks * static_cast<double>(block_weights_) * (all.peaks > 0 ? all.origin / all.peaks : 1);
    spread += 2 * result->bound / std::sqrt(std::max(weights, 1.0));
  }
  // What is left of the error with the best scale: of both, and the origin's.
  const double rest = 1 - Square(result->cosine);
  const double origin_rest =
      all.origin > 0 ? std::min(rest, origin_.tensor.Largest(n, all.origin, all.peaks) / all.origin)
                     : 0;
  result->scale_low = 1 + file_.scale_down * rest + origin_.scale_down * origin_rest - spread;
  result->scale_high = 1 + file_.scale_up * rest + origin_.scale_up * origin_rest + spread;
}

void TensorJudge::Judge(const DifferenceSums& sums, uint64_t weights,
                        ComparedTensor* result) const {
  result->weights = weights;
  const double n = static_cast<double>(weights);
  const DifferenceSums::Squares& all = sums.all;
  const double products = (all.origin + all.file - all.error) / 2;
  const double norms = Root(all.origin) * Root(all.file);
  const double blocks = EffectiveBlocks(sums, n / static_cast<double>(block_weights_));
  const Loss loss = LossOfBlocks(tensor_, block_, blocks);
  const double of_even = IsEven(all.origin, all.peaks) ? Square(kEvenLoss) : 1;
  double largest = of_even * loss.Largest(n, all.origin, all.peaks);
  if (!IsTiny(loss, n, all.origin)) {
    largest = AtMostUnrelated(all.origin, all.peaks, all.file, largest);
  }
  result->max_error = sums.max_error;
  const bool is_uneven_worst = sums.bad_blocks == 0 && sums.uneven.worst.excess > sums.worst.excess;
  const DifferenceSums::Worst& worst = is_uneven_worst ? sums.uneven.worst : sums.worst;
  result->worst_block = Root(worst.excess);
  result->worst_at = worst.at;
  result->bad_blocks = sums.bad_blocks;
  result->uneven_blocks = sums.uneven.blocks;
  result->block_weights = block_weights_;
  if (all.origin != 0) {  // Also for a NaN.
    result->rmse = Root(all.error) / Root(all.origin);
    result->bound = Root(largest) / Root(all.origin);
    result->gain = products / all.origin;
  }
  result->scale = all.file > 0 ? products / all.file : 0;
  result->cosine = norms == 0 ? 0 : products / norms;
  result->slope = sums.slope.Slope();
  JudgeScale(sums, blocks, result);

  constexpr double kSumRounding = 1e-6;
  const double rest = 1 - Square(result->cosine);
  const bool wrong_scale = result->scale_judged && !(result->scale >= result->scale_low &&
                                                     result->scale <= result->scale_high);
  const auto are_few = [&](uint64_t of_blocks) {
    return of_blocks * block_weights_ * 4 <= weights;
  };
  // Returns whether an error is in bound, or that of all but the uneven blocks.
  const auto is_in_bound = [&](double error) {
    const double uneven =
        static_cast<double>(sums.uneven.blocks) * static_cast<double>(block_weights_);
    const DifferenceSums::Squares& of = sums.uneven.sums;
    return error <= largest ||
           (are_few(sums.uneven.blocks) &&
            error - of.error <=
                of_even * loss.Largest(n - uneven, all.origin - of.origin, all.peaks - of.peaks));
  };
  // Whether only some blocks are wrong.
  const bool is_local =
      sums.bad_blocks > 0 && are_few(sums.bad_blocks) && is_in_bound(all.error - sums.bad_error);
  if (wrong_scale && result->scale > 0 && (rest - kSumRounding) * all.origin <= largest) {
    result->result = ComparedTensor::kScale;
  } else if (is_local) {
    result->result = ComparedTensor::kBlock;
  } else if (wrong_scale || sums.bad_blocks > 0 || !is_in_bound(all.error)) {
    result->result = ComparedTensor::kError;
  } else if (result->slope && *result->slope < file_.least_slope) {
    result->result = ComparedTensor::kRequantized;
  } else if (sums.uneven.worst.excess > 1 || all.error > largest) {
    result->result = ComparedTensor::kUneven;
  } else {
    result->result = ComparedTensor::kPass;
  }
}

}  // namespace gguf
