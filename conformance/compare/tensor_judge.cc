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

namespace gguf {
namespace {

// What a group may lose in comparison with a block: there are several in each,
// and so as many chances for a larger loss.
constexpr double kGroupOfBlock = 1.5;

// Blocks usually lose less than this times what a tensor of Gaussian weights
// may lose, both squared.  One that loses more may be wrong, or have a wrong
// group.
constexpr double kUsual = 1.5;

// The peaks of Gaussian weights, in multiples of their rms, both squared.
constexpr double kGaussianPeaks = 4.5;

// Weights whose peaks are less than this are even: many have nearly the same
// magnitude, as ternary and uniform ones do, and so the same error.
constexpr double kEven = 3.2;
bool IsEven(double base, double peaks) { return peaks < kEven * base; }
// What even weights may lose in comparison with others: those that lie between
// two levels of a type lose more than any mixture of weights.
constexpr double kEvenLoss = 1.3;

double Square(double x) { return x * x; }
double Root(double square) { return std::sqrt(std::max(square, 0.0)); }

// Returns `peaks` in units of `base`: each stands for the weights of its group.
double PeaksOf(const ExaminedBlock& block) {
  return static_cast<double>(block.peaks) * kComparedGroup;
}

// Returns whether weights whose squares have the sum `base` are so small that
// f16 scales lose them.
bool IsTiny(const Loss& loss, double n, double base) {
  const double least = 4 * loss.absolute;
  return base <= n * least * least;
}

// Weights and what any type makes of them have at least this cosine of the
// angle between them; unrelated blocks of 256 have 0, give or take 0.06.
constexpr double kMostCosine = 0.2;
// A type of one bit has a cosine of the mean magnitude over the rms, which
// outliers make small.
double LeastCosine(double base, double peaks) {
  constexpr double kOfPeak = 0.4;
  return base < peaks * Square(kMostCosine / kOfPeak)
             ? kOfPeak * std::sqrt(base / peaks)
             : kMostCosine;
}

// Returns the smaller of `largest` and the squared error of weights with the
// least cosine whose squares have the sum `file`.  Zeros exceed it.
double AtMostUnrelated(double base, double peaks, double file, double largest) {
  constexpr double kOfZeros = 0.98;
  if (file == 0) return std::min(largest, kOfZeros * base);
  // The root of a product is at most the mean, so most blocks need no root.
  if (largest <= (1 - kMostCosine) * (base + file)) return largest;
  const double cosine = LeastCosine(base, peaks);
  return std::min(largest, base + file - 2 * cosine * std::sqrt(base * file));
}

// Returns whether a group of weights is a coarse version of the base's: by the
// cosine of the angle between them, and by the regression on the base.  Those
// of groups whose scale was fitted to few weights were at least 0.62, and 0.29
// to 2.6 (measured with ggml's quantizers).
bool Follows(const ExaminedBlock& group) {
  constexpr double kLeastCosine = 0.6, kLeastGain = 0.2, kMostGain = 3;
  const double base = group.base, file = group.file;
  const double products = (base + file - group.error) / 2;
  return base > 0 && products >= kLeastCosine * std::sqrt(base * file) &&
         products >= kLeastGain * base && products <= kMostGain * base;
}

// A block that loses more than this times the bound of a tensor is heavy.
constexpr double kHeavy = 1.5;

// Keeps the worse block; the first of equals, whatever the order of the pieces.
template <class Sums>
void AddWorst(double block, uint64_t at, Sums* sums) {
  if (block > sums->worst_block ||
      (block == sums->worst_block && at < sums->worst_at)) {
    sums->worst_block = block;
    sums->worst_at = at;
  }
}

// Returns how many blocks of equal size a tensor has in effect: 1 if all
// weights outside one block are zero.
double EffectiveBlocks(const DifferenceSums& sums, double blocks) {
  if (!(sums.base_squares > 0)) return blocks;
  return std::clamp(sums.base * sums.base / sums.base_squares, 1.0,
                    std::max(blocks, 1.0));
}

}  // namespace

void DifferenceSums::Add(const DifferenceSums& other) {
  error += other.error;
  base += other.base;
  base_squares += other.base_squares;
  unusual.Add(other.unusual);
  usual.Add(other.usual);
  // The first of equals, whatever the order of the pieces.
  if (other.largest.error > largest.error ||
      (other.largest.error == largest.error && other.largest.at < largest.at)) {
    largest = other.largest;
  }
  max_error = std::max(max_error, other.max_error);
  bad_error += other.bad_error;
  bad_blocks += other.bad_blocks;
  uneven.blocks += other.uneven.blocks;
  uneven.sums.Add(other.uneven.sums);
  AddWorst(other.uneven.worst_block, other.uneven.worst_at, &uneven);
  slope.Add(other.slope);
  AddWorst(other.worst_block, other.worst_at, this);
}

void DifferenceSums::Examined::Add(const Examined& other, double times) {
  error += other.error * times;
  base += other.base * times;
  file += other.file * times;
  peaks += other.peaks * times;
}

DifferenceSums::Examined DifferenceSums::Estimate() const {
  Examined all = unusual;
  if (usual.base > 0) all.Add(usual, (base - unusual.base) / usual.base);
  return all;
}

bool DifferenceSums::IsSampleFair(uint64_t every) const {
  constexpr double kMostFactor = 2;
  constexpr double kRounding = 1e-9;
  const double rest = base - unusual.base;
  const double sampled = usual.base * static_cast<double>(every);
  return rest <= kRounding * base ||
         (sampled <= kMostFactor * rest && rest <= kMostFactor * sampled);
}

TensorJudge::TensorJudge(const TensorTypeInfo& type, const LossBound& file,
                         const LossBound& base)
    : file_(file),
      base_(base),
      tensor_(TogetherOfTensors(file, base)),
      block_(TogetherOfBlocks(file, base)),
      uneven_(std::max(file.uneven, base.uneven)),
      block_weights_(kMostBlock) {
  const double usual =
      kUsual * std::max(Square(tensor_.of_rms),
                        kGaussianPeaks * Square(tensor_.of_peak));
  // Less than any bound of a block: see ExcessOf().  Floats are rounded.
  constexpr double kRounding = 1e-6;
  usual_ = static_cast<float>(
      (1 - kRounding) *
      std::min({usual, Square(block_.of_rms), 1 - Square(kMostCosine)}));
  // The largest part of a block's squares that is usually lost, so that wrong
  // groups lose more.
  constexpr double kMostUsual = 0.1;
  const uint64_t elements = type.block_elements;
  const bool is_small =
      elements >= kComparedGroup && elements * 4 <= kMostBlock;
  if (is_small) group_weights_ = elements;
  if (is_small && usual < kMostUsual) {
    groups_are_blocks_ = true;
  } else if (elements * 4 >= kMostBlock) {
    block_weights_ = elements;
  }
}

bool TensorJudge::Add(uint64_t begin, const BlockDifference* blocks, uint64_t n,
                      DifferenceSums* sums) const {
  const BlockTotals totals = AddUp(blocks, n, usual_);
  sums->error += totals.error;
  sums->base += totals.base;
  sums->base_squares += totals.base_squares;
  if (totals.largest > sums->largest.error) {
    uint64_t i = 0;
    while (blocks[i].error != totals.largest) ++i;
    sums->largest = {totals.largest, begin + i * block_weights_};
  }
  return totals.are_usual;
}

// Returns the error of a block in multiples of what it may be, both squared.
double TensorJudge::ExcessOf(const Loss& loss, uint64_t n, bool is_whole,
                             const ExaminedBlock& block) const {
  if (block.error == 0) return 0;
  const double peaks = PeaksOf(block);
  double largest = loss.Largest(n, block.base, peaks);
  if (is_whole && !IsTiny(loss, n, block.base)) {
    largest = AtMostUnrelated(block.base, peaks, block.file, largest);
  }
  const double excess = block.error / largest;
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

double TensorJudge::ExcessOfBlock(uint64_t n,
                                  const ExaminedBlock& block) const {
  return ExcessOf(block_, n, n == block_weights_, block);
}

double TensorJudge::ExcessOfGroup(const ExaminedBlock& group) const {
  const Loss loss = {kGroupOfBlock * block_.of_peak,
                     kGroupOfBlock * block_.of_rms,
                     kGroupOfBlock * block_.absolute};
  return ExcessOf(loss, group_weights_, true, group);
}

// Returns whether a block loses more than most blocks of a tensor may.
bool TensorJudge::IsHeavy(uint64_t n, const ExaminedBlock& block) const {
  return block.error >
         Square(kHeavy) * tensor_.Largest(n, block.base, PeaksOf(block));
}

// Returns whether an importance matrix that favors a few columns explains the
// error of a block.  The scales of the groups around these columns were fitted
// to their weights, so these few groups have nearly all of the error, and they
// still follow the base.
bool TensorJudge::IsUneven(const ExaminedBlock& block,
                           const ExaminedBlock* groups) const {
  // A group that loses no more than a block may needs no explanation.
  constexpr double kUsualExcess = 1 / (kGroupOfBlock * kGroupOfBlock);
  // The largest three of eight groups had at least 0.95 of the error, and 0.7
  // if the weights were even; in rows of wrong weights, at most 0.58.
  constexpr double kLeastShare = 0.65;
  const uint64_t n = block_weights_ / group_weights_;
  std::array<double, kMostBlock / kComparedGroup> errors;
  for (uint64_t i = 0; i < n; ++i) {
    const double excess = ExcessOfGroup(groups[i]);
    if (excess > kUsualExcess &&
        !(excess <= Square(uneven_) && Follows(groups[i]))) {
      return false;
    }
    errors[i] = groups[i].error;
  }
  std::sort(errors.begin(), errors.begin() + n, std::greater<>());
  const double of_few =
      std::accumulate(errors.begin(), errors.begin() + n * 3 / 8, 0.0);
  return of_few >= kLeastShare * block.error;
}

bool TensorJudge::NeedsGroups(uint64_t n, const ExaminedBlock& block) const {
  if (IsUsual(block)) return false;
  return groups_are_blocks_ ||
         (uneven_ > 0 && (IsHeavy(n, block) || ExcessOfBlock(n, block) > 1));
}

void TensorJudge::AddExamined(uint64_t begin, uint64_t n,
                              const ExaminedBlock& block,
                              const ExaminedBlock* groups,
                              DifferenceSums* sums) const {
  const DifferenceSums::Examined examined = {block.error, block.base,
                                             block.file, PeaksOf(block)};
  (IsUsual(block) ? sums->usual : sums->unusual).Add(examined);
  sums->max_error = std::max<double>(sums->max_error, block.max_error);
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
    sums->uneven.sums.Add(examined);
    AddWorst(excess, begin, &sums->uneven);
    return;
  }
  if (excess > 1) {
    ++sums->bad_blocks;
    sums->bad_error += block.error;
  }
  AddWorst(excess, begin, sums);
}

void TensorJudge::JudgeScale(const DifferenceSums& sums, double blocks,
                             const DifferenceSums::Examined& all,
                             ComparedTensor* result) const {
  const Loss loss = LossOfBlocks(tensor_, block_, blocks);
  const double n = static_cast<double>(result->weights);
  result->scale_judged =
      file_.shows_scale() && base_.shows_scale() && !IsTiny(loss, n, sums.base);
  constexpr double kRounding = 1e-3;
  double spread = kRounding;
  if (file_.is_float() && base_.is_float()) {
    // Equal floats have equal errors, so their number does not count.
    spread += loss.of_rms;
  } else if (IsEven(sums.base, all.peaks)) {
    spread += result->bound;
  } else {
    // The scale of few weights is less certain.
    const double examined = sums.unusual.base + sums.usual.base;
    const double weights = blocks * static_cast<double>(block_weights_) *
                           (all.peaks > 0 ? examined / all.peaks : 1);
    spread += 2 * result->bound / std::sqrt(std::max(weights, 1.0));
  }
  // What is left of the error with the best scale: of both, and the base's.
  const double rest = 1 - Square(result->cosine);
  const double base_rest =
      sums.base > 0
          ? std::min(rest,
                     base_.tensor.Largest(n, sums.base, all.peaks) / sums.base)
          : 0;
  result->scale_low =
      1 + file_.scale_down * rest + base_.scale_down * base_rest - spread;
  result->scale_high =
      1 + file_.scale_up * rest + base_.scale_up * base_rest + spread;
}

void TensorJudge::Judge(const DifferenceSums& sums, uint64_t weights,
                        ComparedTensor* result) const {
  result->weights = weights;
  const double n = static_cast<double>(weights);
  const DifferenceSums::Examined all = sums.Estimate();
  const double products = (all.base + all.file - all.error) / 2;
  const double norms = Root(all.base) * Root(all.file);
  const double blocks =
      EffectiveBlocks(sums, n / static_cast<double>(block_weights_));
  const Loss loss = LossOfBlocks(tensor_, block_, blocks);
  const double of_even = IsEven(sums.base, all.peaks) ? Square(kEvenLoss) : 1;
  double largest = of_even * loss.Largest(n, sums.base, all.peaks);
  if (!IsTiny(loss, n, sums.base)) {
    largest = AtMostUnrelated(sums.base, all.peaks, all.file, largest);
  }
  result->max_error = std::max(sums.max_error, sums.largest.max_error);
  const bool is_uneven_worst =
      sums.bad_blocks == 0 && sums.uneven.worst_block > sums.worst_block;
  result->worst_block =
      Root(is_uneven_worst ? sums.uneven.worst_block : sums.worst_block);
  result->worst_at = is_uneven_worst ? sums.uneven.worst_at : sums.worst_at;
  result->bad_blocks = sums.bad_blocks;
  result->uneven_blocks = sums.uneven.blocks;
  result->block_weights = block_weights_;
  if (sums.base != 0) {  // Also for a NaN.
    result->rmse = Root(sums.error) / Root(sums.base);
    result->bound = Root(largest) / Root(sums.base);
    result->gain = products / all.base;
  }
  result->scale = all.file > 0 ? products / all.file : 0;
  result->cosine = norms == 0 ? 0 : products / norms;
  result->slope = sums.slope.Slope();
  JudgeScale(sums, blocks, all, result);

  constexpr double kSumRounding = 1e-6;
  const double rest = 1 - Square(result->cosine);
  const bool wrong_scale =
      result->scale_judged && !(result->scale >= result->scale_low &&
                                result->scale <= result->scale_high);
  const auto are_few = [&](uint64_t of_blocks) {
    return of_blocks * block_weights_ * 4 <= weights;
  };
  // Returns whether an error is in bound, or that of all but the uneven blocks.
  const auto is_in_bound = [&](double error) {
    const double uneven = static_cast<double>(sums.uneven.blocks) *
                          static_cast<double>(block_weights_);
    const DifferenceSums::Examined& of = sums.uneven.sums;
    return error <= largest ||
           (are_few(sums.uneven.blocks) &&
            error - of.error <= of_even * loss.Largest(n - uneven,
                                                       sums.base - of.base,
                                                       all.peaks - of.peaks));
  };
  // Whether only some blocks are wrong.
  const bool is_local = sums.bad_blocks > 0 && are_few(sums.bad_blocks) &&
                        is_in_bound(sums.error - sums.bad_error);
  if (wrong_scale && result->scale > 0 &&
      (rest - kSumRounding) * sums.base <= largest) {
    result->result = ComparedTensor::kScale;
  } else if (is_local) {
    result->result = ComparedTensor::kBlock;
  } else if (wrong_scale || sums.bad_blocks > 0 || !is_in_bound(sums.error)) {
    result->result = ComparedTensor::kError;
  } else if (result->slope && *result->slope < file_.least_slope) {
    result->result = ComparedTensor::kRequantized;
  } else if (sums.uneven.worst_block > 1 || sums.error > largest) {
    result->result = ComparedTensor::kUneven;
  } else {
    result->result = ComparedTensor::kPass;
  }
}

}  // namespace gguf
