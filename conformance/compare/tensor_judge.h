// TensorJudge: whether the type of a tensor explains how its weights differ
// from those of the base.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_TENSOR_JUDGE_H_
#define GGUF_CONFORMANCE_COMPARE_TENSOR_JUDGE_H_

#include <cstdint>

#include "conformance/compare/bounds.h"
#include "conformance/compare/comparison.h"
#include "conformance/compare/magnitude_slope.h"
#include "kernels/weight_difference.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// Errors are also judged by blocks of this many weights.  Types of larger loss
// with blocks of 64 or more weights are judged by their own blocks.
inline constexpr uint64_t kMostBlock = 256;

// Sums over some blocks of a tensor.
struct DifferenceSums {
  // Of examined blocks, as ExaminedBlock, but `peaks` is multiplied by
  // kComparedGroup, as Loss::Largest() wants it.
  struct Examined {
    double error = 0, base = 0, file = 0, peaks = 0;

    void Add(const Examined& other, double times = 1);
  };
  struct LargestError {
    double error = 0;
    uint64_t at = 0;  // The first weight of the block.
    double max_error = 0;
  };

  double error = 0, base = 0;  // As BlockDifference.
  double base_squares = 0;     // Of the squares of the blocks' `base`.
  LargestError largest;        // The block with the largest error.
  Examined unusual;            // All blocks that lose more than is usual.
  Examined usual;              // A sample of the others.

  // Of examined blocks; see ComparedTensor.
  double max_error = 0;
  double worst_block = 0;  // Squared.
  uint64_t worst_at = 0;
  // Of blocks with too large an error, except those that are uneven.
  uint64_t bad_blocks = 0;
  double bad_error = 0;
  // Of blocks whose error an importance matrix explains.
  struct Uneven {
    uint64_t blocks = 0;
    Examined sums;
    double worst_block = 0;  // Squared.
    uint64_t worst_at = 0;
  } uneven;
  MagnitudeSlope slope;  // Of the sample.

  void Add(const DifferenceSums& other);

  // Returns sums of all blocks: the sample stands for the rest.
  Examined Estimate() const;

  // Returns whether the usual blocks of a sample of one in `every` are about as
  // large as the others.
  bool IsSampleFair(uint64_t every) const;
};

class TensorJudge {
 public:
  // Of a tensor of one type, whose base has another.
  TensorJudge(const TensorTypeInfo& type, const LossBound& file,
              const LossBound& base);

  // Weights in the blocks that follow; a multiple of kComparedGroup.
  uint64_t block_weights() const { return block_weights_; }

  // Whether `slope` is needed.
  bool needs_slope() const { return file_.least_slope > 0; }

  // Whether a block loses no more than most blocks do.  Such a block is within
  // its bound, whatever its other sums are; any other has to be judged.
  bool IsUsual(const BlockDifference& block) const {
    return gguf::IsUsual(block, usual_);
  }

  // Adds blocks to the sums, of which `begin` is the first weight.  Returns
  // whether each of them IsUsual().
  bool Add(uint64_t begin, const BlockDifference* blocks, uint64_t n,
           DifferenceSums* sums) const;

  // Returns whether AddExamined() needs the groups of a block, of which `n`
  // weights are not padding.
  bool NeedsGroups(uint64_t n, const ExaminedBlock& block) const;
  uint64_t group_weights() const { return group_weights_; }

  // Judges a block and adds it to the sums.  `begin` is its first weight.
  // `groups` are those of the block if it NeedsGroups(), and null otherwise.
  void AddExamined(uint64_t begin, uint64_t n, const ExaminedBlock& block,
                   const ExaminedBlock* groups, DifferenceSums* sums) const;

  // Fills in all but the names of the tensor and its types.
  void Judge(const DifferenceSums& sums, uint64_t weights,
             ComparedTensor* result) const;

 private:
  double ExcessOf(const Loss& loss, uint64_t n, bool is_whole,
                  const ExaminedBlock& block) const;
  double ExcessOfBlock(uint64_t n, const ExaminedBlock& block) const;
  double ExcessOfGroup(const ExaminedBlock& group) const;
  bool IsHeavy(uint64_t n, const ExaminedBlock& block) const;
  bool IsUneven(const ExaminedBlock& block, const ExaminedBlock* groups) const;
  void JudgeScale(const DifferenceSums& sums, double blocks,
                  const DifferenceSums::Examined& all,
                  ComparedTensor* result) const;

  LossBound file_, base_;
  Loss tensor_, block_;  // Of both types.
  double uneven_ = 0;    // Of the type that allows more.
  float usual_ = 0;      // See IsUsual(); a multiple of the block's `base`.
  uint64_t block_weights_ = 0;
  uint64_t group_weights_ = kComparedGroup;
  bool groups_are_blocks_ = false;  // And each may be wrong by itself.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_TENSOR_JUDGE_H_
