// Hands pieces of tensors to threads, which add up their differences block by
// block.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/comparison.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "absl/types/span.h"
#include "conformance/base/bytes.h"
#include "conformance/base/threads.h"
#include "conformance/compare/tensor_judge.h"
#include "kernels/dequantize.h"
#include "kernels/weight_difference.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

// Weights that are dequantized at a time: those of both files stay in the
// smallest cache, and the processor has time to load those that follow.
constexpr uint64_t kStep = 4 * kMostBlock;

// Aligned, so that no vector crosses the border of a cache line.
struct alignas(64) WeightBuffer {
  std::array<float, kStep> weights;
};

// A part of a tensor, as a file stores it.
struct StoredPart {
  const TensorTypeInfo* type = nullptr;
  Endian endian = Endian::kLittle;
  Bytes bytes;  // Whole blocks.
};

uint64_t BytesOf(const TensorTypeInfo& type, uint64_t weights) {
  return weights / type.block_elements * type.block_bytes;
}

// Weights in a type that IsComparedAsStored().
struct ComparedWeights {
  TensorType type = TensorType::kF32;
  const uint8_t* bytes = nullptr;
};

// The weights of a part of a tensor, by their position in the tensor: whole
// blocks of the type.  Zeros follow up to `padded` weights.
class WeightReader {
 public:
  WeightReader(const StoredPart& part, uint64_t begin)
      : begin_(begin),
        type_(static_cast<TensorType>(part.type->id)),
        dequantize_(type_, part.endian),
        as_stored_(IsComparedAsStored(type_, part.endian)),
        step_bytes_(BytesOf(*part.type, kStep)),
        bytes_(part.bytes) {}

  // Returns `n` weights from `begin` on: in place, or in `buffer`.
  const float* Floats(uint64_t begin, uint64_t n, uint64_t padded, WeightBuffer* buffer) const {
    if (as_stored_ && type_ == TensorType::kF32 && n == padded &&
        reinterpret_cast<uintptr_t>(At(begin, n).data()) % alignof(float) == 0) {
      return reinterpret_cast<const float*>(At(begin, n).data());
    }
    float* const weights = buffer->weights.data();
    const auto error = dequantize_(At(begin, n), absl::MakeSpan(weights, n));
    Assert(!error, "whole blocks cannot be dequantized");
    std::fill(weights + n, weights + padded, 0.0f);
    return weights;
  }

  // The same, without a conversion of types that need none.
  ComparedWeights AsStored(uint64_t begin, uint64_t n, uint64_t padded,
                           WeightBuffer* buffer) const {
    if (as_stored_ && n == padded) return {type_, At(begin, n).data()};
    return {TensorType::kF32, reinterpret_cast<const uint8_t*>(Floats(begin, n, padded, buffer))};
  }

 private:
  Bytes At(uint64_t begin, uint64_t n) const {
    // Both are whole blocks; a division by a constant takes less time.
    return bytes_.subspan((begin - begin_) * step_bytes_ / kStep, n * step_bytes_ / kStep);
  }

  const uint64_t begin_;  // Of the part.
  const TensorType type_;
  const Dequantizer dequantize_;
  const bool as_stored_;
  const uint64_t step_bytes_;  // In kStep weights.
  const Bytes bytes_;
};

// Compares the weights [begin, end) of a tensor.  `begin` is a multiple of
// kMostBlock, and `end` as well unless the tensor ends there.
DifferenceSums ComparePiece(const StoredPart& origin_part, const StoredPart& file_part,
                            uint64_t begin, uint64_t end, const TensorJudge& judge) {
  const WeightReader origin_reader(origin_part, begin);
  const WeightReader file_reader(file_part, begin);
  const uint64_t block = judge.block_weights();
  const uint64_t group = judge.group_weights();
  WeightBuffer origin_buffer, file_buffer;
  std::array<BlockDifference, kStep / kComparedGroup> blocks;
  std::array<BlockDifference, kMostBlock / kComparedGroup> groups;
  DifferenceSums sums;
  for (uint64_t at = begin; at < end; at += kStep) {
    const uint64_t n = std::min(kStep, end - at);
    const uint64_t n_blocks = (n + block - 1) / block;
    const uint64_t padded = n_blocks * block;
    const float* const file = file_reader.Floats(at, n, padded, &file_buffer);
    const ComparedWeights origin = origin_reader.AsStored(at, n, padded, &origin_buffer);
    if (judge.needs_slope()) {
      constexpr uint64_t kBlock = MagnitudeSlope::kBlock;
      const uint64_t bytes = BytesOf(GetTensorType(origin.type), kBlock);
      for (uint64_t i = 0; i + kBlock <= n; i += kBlock) {
        sums.slope.AddBlock(origin.type, origin.bytes + i / kBlock * bytes, file + i);
      }
    }
    const float max_error =
        CompareWeights(origin.type, origin.bytes, file, block, n_blocks, blocks.data());
    sums.max_error = std::max<double>(sums.max_error, max_error);
    for (uint64_t i = 0; i < padded; i += block) {
      const BlockDifference& sum = blocks[i / block];
      const uint64_t in_block = std::min(block, n - i);
      const bool needs_groups = judge.NeedsGroups(in_block, sum);
      if (needs_groups) {
        CompareWeights(origin.type, origin.bytes + BytesOf(GetTensorType(origin.type), i), file + i,
                       group, block / group, groups.data());
      }
      judge.Add(at + i, in_block, sum, needs_groups ? groups.data() : nullptr, &sums);
    }
  }
  return sums;
}

// The same tensor in both files.
struct Pair {
  const TensorInfo* tensor = nullptr;
  const TensorTypeInfo* type = nullptr;
  Range data;
  const File* origin_file = nullptr;
  const TensorTypeInfo* origin_type = nullptr;
  Range origin_data;
  uint64_t weights = 0;              // To compare.
  std::optional<TensorJudge> judge;  // None if there is nothing to compare.
};

// Some weights of a pair.
struct Piece {
  uint32_t pair = 0;
  uint64_t begin = 0, end = 0;
};

class Comparer {
 public:
  Comparer(const File& file, const Placement& placement, const Origin& origin,
           const CompareOptions& options)
      : file_(file), options_(options), sums_(file.tensors.size()) {
    for (const TensorInfo& tensor : file.tensors) {
      pairs_.push_back(PairOf(tensor, placement, origin));
      total_ += pairs_.back().data.size();
    }
  }

  bool Run() {
    RunThreads(options_.jobs, [this] { Work(); });
    return !stopped_;
  }

  ComparedTensor ResultOf(uint32_t index) const;

 private:
  Pair PairOf(const TensorInfo& tensor, const Placement& placement, const Origin& origin) const;
  void Work();
  bool Next(Piece* piece);

  const File& file_;
  const CompareOptions& options_;
  std::vector<Pair> pairs_;  // By index.
  uint64_t total_ = 0;       // Bytes.

  std::mutex mutex_;   // Guards what follows.
  uint32_t next_ = 0;  // Index of a pair.
  uint64_t next_weight_ = 0;
  uint64_t done_ = 0;
  bool stopped_ = false;
  std::vector<DifferenceSums> sums_;  // By index.
};

// Leaves `judge` empty if the two cannot be compared.
Pair Comparer::PairOf(const TensorInfo& tensor, const Placement& placement,
                      const Origin& origin) const {
  Pair pair;
  pair.tensor = &tensor;
  const Origin::Tensor other = origin.FindTensor(tensor.name.value);
  if (other.info == nullptr || !other.has_data || placement.places[tensor.index] != Place::kGood ||
      !tensor.has_known_weights() || !other.info->has_known_weights() ||
      tensor.dims != other.info->dims || tensor.rank() != other.info->rank()) {
    return pair;
  }
  pair.type = tensor.type_info();
  pair.origin_type = other.info->type_info();
  const LossBound* bound = FindLossBound(*pair.type);
  const LossBound* origin_bound = FindLossBound(*pair.origin_type);
  if (bound == nullptr || origin_bound == nullptr) return pair;
  pair.data = DataRange(file_, tensor);
  pair.origin_file = other.file;
  pair.origin_data = DataRange(*other.file, *other.info);
  pair.weights = pair.data.size() / pair.type->block_bytes * pair.type->block_elements;
  pair.judge.emplace(*pair.type, *bound, *origin_bound);
  return pair;
}

void Comparer::Work() {
  std::string origin_bytes, bytes;  // If a file is not mapped.
  const auto read = [](const File& file, const TensorTypeInfo& type, const Range& data,
                       const Piece& piece, std::string* buffer) -> StoredPart {
    const Range where = {data.begin + BytesOf(type, piece.begin),
                         data.begin + BytesOf(type, piece.end)};
    return {&type, file.encoding.endian, file.Read(where, buffer)};
  };
  Piece piece;
  while (Next(&piece)) {
    const Pair& pair = pairs_[piece.pair];
    const DifferenceSums sums = ComparePiece(
        read(*pair.origin_file, *pair.origin_type, pair.origin_data, piece, &origin_bytes),
        read(file_, *pair.type, pair.data, piece, &bytes), piece.begin, piece.end, *pair.judge);
    const std::lock_guard<std::mutex> lock(mutex_);
    sums_[piece.pair].Add(sums);
  }
}

bool Comparer::Next(Piece* piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (options_.stop && options_.stop()) stopped_ = true;
  if (options_.progress) options_.progress(done_, total_);
  while (!stopped_ && next_ < pairs_.size()) {
    const Pair& pair = pairs_[next_];
    if (next_weight_ == pair.weights) {
      ++next_;
      next_weight_ = 0;
      continue;
    }
    const uint64_t n = std::min(options_.piece_weights, pair.weights - next_weight_);
    *piece = {next_, next_weight_, next_weight_ + n};
    next_weight_ += n;
    done_ += BytesOf(*pair.type, n);
    return true;
  }
  return false;
}

ComparedTensor Comparer::ResultOf(uint32_t index) const {
  const Pair& pair = pairs_[index];
  ComparedTensor result;
  result.name = std::string(pair.tensor->name.value);
  result.type = pair.tensor->TypeName();
  if (!pair.judge) return result;
  result.origin_type = pair.origin_type->name;
  pair.judge->Judge(sums_[index], pair.weights, &result);
  return result;
}

}  // namespace

std::optional<std::vector<ComparedTensor>> CompareTensors(const File& file,
                                                          const Placement& placement,
                                                          const Origin& origin,
                                                          const CompareOptions& options) {
  Comparer comparer(file, placement, origin, options);
  if (!comparer.Run()) return std::nullopt;
  std::vector<ComparedTensor> tensors;
  for (const TensorInfo& tensor : file.tensors) {
    tensors.push_back(comparer.ResultOf(tensor.index));
  }
  return tensors;
}

}  // namespace gguf
