// TensorJudge: whether the type of a tensor explains how its weights differ
// from those of the origin.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_TENSOR_JUDGE_H_
#define GGUF_CONFORMANCE_COMPARE_TENSOR_JUDGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "conformance/compare/comparison.h"
#include "kernels/weight_difference.h"
#include "parser/tensor_type.h"

namespace gguf {

// The root mean square of the error is at most
//
//   max(of_peak * peak, of_rms * rms, absolute)
//
// where `rms` is the root mean square of the origin's weights, and `peak` that
// of the largest weights of groups of kComparedGroup.
struct Loss {
  double of_peak = 0;
  double of_rms = 0;
  double absolute = 0;

  // Returns the largest sum of squared errors of `n` weights whose squares have
  // the sum `origin`; `peaks` is the sum of the squares of the groups' largest
  // weights, times the number of weights in a group.
  double Largest(double n, double origin, double peaks) const {
    return std::max(absolute * absolute * n,
                    std::max(of_rms * of_rms * origin, of_peak * of_peak * peaks));
  }
};

// How far the weights of a tensor of one type may be from those that they were
// quantized from: a row of loss_bounds.tsv.
struct LossBound {
  Loss tensor;  // Of a tensor of many blocks.
  Loss block;   // Of one block.
  // The number that times the file's weights fits the origin's best lies
  // between 1 + scale_down * rest and 1 + scale_up * rest, where `rest` is the
  // squared rmse after that multiplication.  Both are 0 if the type has too few
  // bits to show its scale.
  double scale_down = 0, scale_up = 0;
  bool shows_scale() const { return scale_up > 0; }

  // The least MagnitudeSlope; 0 if the error shows as much.
  double least_slope = 0;

  // The most that a group may lose if an importance matrix favors few columns,
  // in multiples of what a group may lose otherwise; 0 if the type's quantizer
  // does not use importances.
  double uneven = 0;

  // Floats have errors that are equal for equal weights; the others' depend on
  // the weights around.
  bool is_float() const { return tensor.of_peak == 0; }
};

// Returns the bounds of a type; null for one without a row in loss_bounds.tsv.
const LossBound* FindLossBound(const TensorTypeInfo& type);

// Errors are also judged by blocks of this many weights.  Types of larger loss
// with blocks of 64 or more weights are judged by their own blocks.
inline constexpr uint64_t kMostBlock = 256;

// The regression of the magnitudes of a file's weights on those of the origin,
// within groups of kComparedGroup.  It is about 1 for weights that a type
// represents well, and less for types of one bit and more, which shrink large
// weights.  It is 0 if a type with a single magnitude in a group, such as Q1_0,
// came between, however many bits the weights have now.
class MagnitudeSlope {
 public:
  // Adds blocks of this many weights, of an origin as in CompareWeights().
  static constexpr size_t kBlock = 256;
  void AddBlock(TensorType origin_type, const uint8_t* origin, const float* file);

  void Add(const MagnitudeSlope& other);

  // Returns the slope, or nothing for too few groups.
  std::optional<double> Slope() const;

 private:
  double covariance_ = 0, variance_ = 0;
  uint64_t groups_ = 0;
};

// Sums over some blocks of a tensor.
struct DifferenceSums {
  // As BlockDifference, but `peaks` is multiplied by kComparedGroup, as
  // Loss::Largest() wants it.
  struct Squares {
    double error = 0, origin = 0, file = 0, peaks = 0;

    void Add(const Squares& other);
  };
  // The block with the largest error in multiples of what it may be.
  struct Worst {
    double excess = 0;  // Squared.
    uint64_t at = 0;    // The block's first weight.

    // Keeps the first of equals, whatever the order of the blocks.
    void Add(const Worst& other);
  };

  Squares all;
  double origin_squares = 0;  // Of the squares of the blocks' `origin`.
  double max_error = 0;
  // Of blocks whose error an importance matrix explains.
  struct Uneven {
    uint64_t blocks = 0;
    Squares sums;
    Worst worst;
  } uneven;
  // Of the other blocks, and of those of them with too large an error.
  Worst worst;
  uint64_t bad_blocks = 0;
  double bad_error = 0;
  MagnitudeSlope slope;

  void Add(const DifferenceSums& other);
};

class TensorJudge {
 public:
  // Of a tensor of one type, whose origin has another.
  TensorJudge(const TensorTypeInfo& type, const LossBound& file, const LossBound& origin);

  // Weights in the blocks that follow; a multiple of kComparedGroup.
  uint64_t block_weights() const { return block_weights_; }

  // Whether `slope` is needed.
  bool needs_slope() const { return file_.least_slope > 0; }

  // Returns whether Add() needs the groups of a block, of which `n` weights are
  // not padding.
  bool NeedsGroups(uint64_t n, const BlockDifference& block) const;
  uint64_t group_weights() const { return group_weights_; }

  // Judges a block and adds it to the sums, but not to `max_error`.  `begin` is
  // its first weight. `groups` are those of the block if it NeedsGroups(), and
  // null otherwise.
  void Add(uint64_t begin, uint64_t n, const BlockDifference& block, const BlockDifference* groups,
           DifferenceSums* sums) const;

  // Fills in all but the names of the tensor and its types.
  void Judge(const DifferenceSums& sums, uint64_t weights, ComparedTensor* result) const;

 private:
  double ExcessOf(const Loss& loss, uint64_t n, bool is_whole, const BlockDifference& block) const;
  double ExcessOfBlock(uint64_t n, const BlockDifference& block) const;
  double ExcessOfGroup(const BlockDifference& group) const;
  bool IsHeavy(uint64_t n, const BlockDifference& block) const;
  bool IsUneven(const BlockDifference& block, const BlockDifference* groups) const;
  void JudgeScale(const DifferenceSums& sums, double blocks, ComparedTensor* result) const;

  LossBound file_, origin_;
  Loss tensor_, block_;  // Of both types.
  double uneven_ = 0;    // Of the type that allows more.
  double suspect_ = 0;   // See NeedsGroups(); a multiple of a block's `origin`.
  uint64_t block_weights_ = 0;
  uint64_t group_weights_ = kComparedGroup;
  bool groups_are_blocks_ = false;  // And each may be wrong by itself.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_TENSOR_JUDGE_H_
