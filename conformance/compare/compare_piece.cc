// Compares all blocks, then examines those that need a closer look.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/compare_piece.h"

#include <algorithm>
#include <array>

#include "absl/types/span.h"
#include "conformance/compare/magnitude_slope.h"
#include "kernels/dequantize.h"
#include "kernels/weight_difference.h"
#include "parser/core/assert.h"

namespace gguf {
namespace {

// Weights that are dequantized at a time: those of both files stay in the
// smallest cache, and the processor has time to load those that follow.
constexpr uint64_t kStep = 4 * kMostBlock;

// Weights whose blocks are added at a time.
constexpr uint64_t kWindow = 4 * kStep;

// Aligned, so that no vector crosses the border of a cache line.
struct alignas(64) WeightBuffer {
  std::array<float, kStep> weights;
};

// Weights in a type that IsComparedAsStored().
struct ComparedWeights {
  TensorType type = TensorType::kF32;
  const uint8_t* bytes = nullptr;
};

// The weights of a part of a tensor, by their position in the tensor.  Zeros
// follow up to `padded` weights.
class WeightReader {
 public:
  WeightReader(const StoredPart& part, uint64_t begin)
      : begin_(begin),
        type_(static_cast<TensorType>(part.type->id)),
        dequantize_(type_, part.endian),
        as_stored_(IsComparedAsStored(type_, part.endian)),
        block_(part.type->block_elements),
        step_bytes_(kStep / block_ * part.type->block_bytes),
        bytes_(part.bytes) {}

  // Returns `n` weights from `begin` on: in place, or in `buffer`.
  const float* Floats(uint64_t begin, uint64_t n, uint64_t padded,
                      WeightBuffer* buffer) const {
    if (as_stored_ && type_ == TensorType::kF32 && n == padded &&
        reinterpret_cast<uintptr_t>(At(begin, n).data()) % alignof(float) ==
            0) {
      return reinterpret_cast<const float*>(At(begin, n).data());
    }
    // Whole blocks are dequantized, which may be larger than those judged.
    const uint64_t skipped = begin % block_;
    const uint64_t read = (skipped + n + block_ - 1) / block_ * block_;
    float* const weights = buffer->weights.data();
    const auto error =
        dequantize_(At(begin - skipped, read), absl::MakeSpan(weights, read));
    Assert(!error, "whole blocks cannot be dequantized");
    std::fill(weights + skipped + n, weights + skipped + padded, 0.0f);
    return weights + skipped;
  }

  // The same, without a conversion of types that need none.
  ComparedWeights AsStored(uint64_t begin, uint64_t n, uint64_t padded,
                           WeightBuffer* buffer) const {
    if (as_stored_ && n == padded) return {type_, At(begin, n).data()};
    return {TensorType::kF32,
            reinterpret_cast<const uint8_t*>(Floats(begin, n, padded, buffer))};
  }

 private:
  Bytes At(uint64_t begin, uint64_t n) const {
    // Both are whole blocks; a division by a constant takes less time.
    return bytes_.subspan((begin - begin_) * step_bytes_ / kStep,
                          n * step_bytes_ / kStep);
  }

  const uint64_t begin_;  // Of the part.
  const TensorType type_;
  const Dequantizer dequantize_;
  const bool as_stored_;
  const uint64_t block_;       // Weights in a block.
  const uint64_t step_bytes_;  // In kStep weights.
  const Bytes bytes_;
};

// Adds up the differences of one piece, a window after the other.
class PieceComparer {
 public:
  PieceComparer(const StoredPart& base, const StoredPart& file, uint64_t begin,
                uint64_t every, const TensorJudge& judge)
      : base_(base, begin), file_(file, begin), every_(every), judge_(judge) {}

  // Adds a window.  Every block is compared; those of a sample, and those that
  // lose more than is usual, are examined.
  void Add(uint64_t at, uint64_t end) {
    const uint64_t block = judge_.block_weights();
    std::array<BlockDifference, kWindow / kComparedGroup> blocks;
    uint64_t count = 0;
    for (uint64_t begin = at; begin < end; begin += kStep) {
      const uint64_t n = std::min(kStep, end - begin);
      const uint64_t in_step = (n + block - 1) / block;
      const ComparedWeights base =
          base_.AsStored(begin, n, in_step * block, &base_buffer_);
      CompareWeights(base.type, base.bytes,
                     file_.Floats(begin, n, in_step * block, &buffer_), block,
                     in_step, &blocks[count]);
      count += in_step;
    }
    const bool are_usual = judge_.Add(at, blocks.data(), count, &sums_);
    const bool is_sampled = at / kWindow % every_ == 0;
    if (is_sampled && judge_.needs_slope()) AddSlope(at, end);
    if (are_usual && !is_sampled) return;
    for (uint64_t i = 0; i < count; ++i) {
      if (!is_sampled && judge_.IsUsual(blocks[i])) continue;
      const uint64_t begin = at + i * block;
      Examine(begin, std::min(block, end - begin));
    }
  }

  // Returns the sums of a piece that ends at `end`.
  DifferenceSums Finish(uint64_t end) {
    DifferenceSums::LargestError& largest = sums_.largest;
    if (largest.error > 0) {
      const uint64_t n = std::min(judge_.block_weights(), end - largest.at);
      largest.max_error = SumsOf(FloatsAt(largest.at, n)).max_error;
    }
    return sums_;
  }

 private:
  struct BothFloats {
    const float *base, *file;
  };

  // Returns the weights of a block, of which `n` are not padding.
  BothFloats FloatsAt(uint64_t begin, uint64_t n) {
    const uint64_t block = judge_.block_weights();
    return {base_.Floats(begin, n, block, &base_buffer_),
            file_.Floats(begin, n, block, &buffer_)};
  }

  ExaminedBlock SumsOf(const BothFloats& weights) const {
    return ExamineBlock(weights.base, weights.file, judge_.block_weights());
  }

  // Judges a block, and its groups if need be.
  void Examine(uint64_t begin, uint64_t n) {
    const BothFloats weights = FloatsAt(begin, n);
    const ExaminedBlock whole = SumsOf(weights);
    if (!judge_.NeedsGroups(n, whole)) {
      judge_.AddExamined(begin, n, whole, nullptr, &sums_);
      return;
    }
    std::array<ExaminedBlock, kMostBlock / kComparedGroup> groups;
    const uint64_t group = judge_.group_weights();
    for (uint64_t i = 0; i * group < judge_.block_weights(); ++i) {
      groups[i] = ExamineBlock(weights.base + i * group,
                               weights.file + i * group, group);
    }
    judge_.AddExamined(begin, n, whole, groups.data(), &sums_);
  }

  void AddSlope(uint64_t at, uint64_t end) {
    constexpr uint64_t kBlock = MagnitudeSlope::kBlock;
    for (; at + kBlock <= end; at += kBlock) {
      sums_.slope.AddBlock(base_.Floats(at, kBlock, kBlock, &base_buffer_),
                           file_.Floats(at, kBlock, kBlock, &buffer_));
    }
  }

  const WeightReader base_, file_;
  const uint64_t every_;  // One window of this many is sampled.
  const TensorJudge& judge_;
  DifferenceSums sums_;
  WeightBuffer base_buffer_, buffer_;
};

}  // namespace

DifferenceSums ComparePiece(const StoredPart& base, const StoredPart& file,
                            uint64_t begin, uint64_t end, uint64_t every,
                            const TensorJudge& judge) {
  PieceComparer comparer(base, file, begin, every, judge);
  // Windows begin at multiples of kWindow, whatever the pieces are.
  for (uint64_t at = begin; at < end;) {
    const uint64_t next = std::min((at / kWindow + 1) * kWindow, end);
    comparer.Add(at, next);
    at = next;
  }
  return comparer.Finish(end);
}

}  // namespace gguf
