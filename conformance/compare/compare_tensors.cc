// Hands pieces of tensors to threads, which add up their differences.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/compare_tensors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "conformance/compare/bounds.h"
#include "conformance/compare/magnitude_slope.h"
#include "conformance/threads/threads.h"
#include "kernels/dequantize.h"
#include "kernels/weight_difference.h"
#include "parser/core/assert.h"
#include "parser/core/byte_order.h"

namespace gguf {
namespace {

// Weights that are dequantized at a time: those of both files stay in the
// smallest cache, and the processor has time to load those that follow.
constexpr uint64_t kStep = 4 * kMostBlock;

// Weights whose blocks are judged at a time.
constexpr uint64_t kWindow = 16 * kMostBlock;

// Weights of a tensor whose slope is computed, about: more do not make it more
// certain.
constexpr uint64_t kSlopeWeights = 1 << 18;

// The same tensor in both files.
struct Pair {
  const TensorInfo* tensor = nullptr;
  const TensorTypeInfo* type = nullptr;
  Range data;
  const File* base_file = nullptr;
  const TensorTypeInfo* base_type = nullptr;
  Range base_data;
  uint64_t weights = 0;
  std::optional<TensorJudge> judge;  // None if it is not compared.
};

// Some weights of a pair.
struct Piece {
  uint32_t pair = 0;
  uint64_t begin = 0, end = 0;
};

uint64_t BytesOf(const TensorTypeInfo& type, uint64_t weights) {
  return weights / type.block_elements * type.block_bytes;
}

// Aligned, so that no vector crosses the border of a cache line.
struct alignas(64) WeightBuffer {
  std::array<float, kStep> weights;
};

// Weights as a file stores them, or as floats of this machine.
struct StoredWeights {
  TensorType type = TensorType::kF32;
  const uint8_t* bytes = nullptr;

  const float* floats() const { return reinterpret_cast<const float*>(bytes); }
};

// Returns whether bytes are floats that can be read in place.
bool AreFloats(const TensorTypeInfo& type, Endian endian, Bytes bytes) {
  return type.id == static_cast<uint32_t>(TensorType::kF32) &&
         endian == kHostEndian &&
         reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0;
}

// The weights of a piece of a tensor.
class WeightReader {
 public:
  // `bytes` are whole blocks.  With `as_stored`, they need not be dequantized.
  WeightReader(const TensorTypeInfo& type, Endian endian, Bytes bytes,
               bool as_stored)
      : type_(type),
        dequantize_(static_cast<TensorType>(type.id), endian),
        as_stored_(as_stored),
        step_bytes_(BytesOf(type, kStep)),
        bytes_(bytes) {}

  // Returns `n` weights of the piece, of whole blocks, from `begin` on, and
  // zeros up to `padded`: as they are stored, or as floats in `buffer`.
  StoredWeights At(uint64_t begin, uint64_t n, uint64_t padded,
                   WeightBuffer* buffer) const {
    // Both are whole blocks; a division by a constant takes less time.
    const Bytes bytes =
        bytes_.subspan(begin * step_bytes_ / kStep, n * step_bytes_ / kStep);
    if (as_stored_ && n == padded) {
      return {static_cast<TensorType>(type_.id), bytes.data()};
    }
    auto& weights = buffer->weights;
    const auto error = dequantize_(bytes, absl::MakeSpan(weights.data(), n));
    Assert(!error, "whole blocks cannot be dequantized");
    std::fill(weights.begin() + n, weights.begin() + padded, 0.0f);
    return {TensorType::kF32, reinterpret_cast<const uint8_t*>(weights.data())};
  }

  // Returns `n` of the weights that At() returned, from `begin` on, as
  // floats: in place, or in `buffer`.
  const float* Floats(const StoredWeights& stored, uint64_t begin, uint64_t n,
                      WeightBuffer* buffer) const {
    const TensorTypeInfo& type = GetTensorType(stored.type);
    const Bytes bytes(stored.bytes + BytesOf(type, begin), BytesOf(type, n));
    if (AreFloats(type, kHostEndian, bytes)) {
      return reinterpret_cast<const float*>(bytes.data());
    }
    const auto error =
        dequantize_(bytes, absl::MakeSpan(buffer->weights.data(), n));
    Assert(!error, "whole blocks cannot be dequantized");
    return buffer->weights.data();
  }

 private:
  const TensorTypeInfo& type_;
  const Dequantizer dequantize_;
  const bool as_stored_;
  const uint64_t step_bytes_;  // In kStep weights.
  const Bytes bytes_;
};

// The same weights of a tensor and of its base.
struct WeightsOfBoth {
  StoredWeights base, file;  // The file's are floats.

  // See CompareWeights().
  float Compare(uint64_t block, uint64_t n_blocks,
                BlockDifference* blocks) const {
    return CompareWeights(base.type, base.bytes, file.floats(), block, n_blocks,
                          blocks);
  }
};

class Comparer {
 public:
  Comparer(const File& file, const Placement& placement, const Origin& origin,
           const CompareOptions& options)
      : file_(file), options_(options), sums_(file.tensors.size()) {
    for (const TensorInfo& tensor : file.tensors) {
      pairs_.push_back(PairOf(tensor, placement, origin));
      if (pairs_.back().judge) total_ += pairs_.back().data.size();
    }
  }

  bool Run() {
    RunThreads(options_.jobs, [this] { Work(); });
    return !stopped_;
  }

  ComparedTensor ResultOf(uint32_t index) const;

 private:
  struct Window {
    WeightBuffer base, file, for_slope;  // Of a step.
    std::array<BlockDifference, kWindow / kComparedGroup> blocks;
    std::array<BlockDifference, kMostBlock / kComparedGroup> groups;
    std::string base_bytes, file_bytes;  // If a file is not mapped.
  };

  Pair PairOf(const TensorInfo& tensor, const Placement& placement,
              const Origin& origin) const;
  void Work();
  bool Next(Piece* piece);
  DifferenceSums Compare(const Pair& pair, const Piece& piece,
                         Window* window) const;
  static void AddSlope(const Pair& pair, uint64_t at, uint64_t n,
                       const WeightReader& base, const WeightsOfBoth& weights,
                       Window* window, MagnitudeSlope* slope);

  const File& file_;
  const CompareOptions& options_;
  std::vector<Pair> pairs_;  // By index.
  uint64_t total_ = 0;       // Bytes.

  std::mutex mutex_;  // Guards what follows.
  uint32_t next_pair_ = 0;
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
  const Origin::Tensor base = origin.FindTensor(tensor.name.value);
  if (base.info == nullptr || !base.has_data ||
      placement.places[tensor.index] != Place::kGood ||
      tensor.dims != base.info->dims || tensor.rank() != base.info->rank()) {
    return pair;
  }
  pair.type = tensor.type_info();
  pair.base_type = base.info->type_info();
  const LossBound* bound = FindLossBound(*pair.type);
  const LossBound* base_bound = FindLossBound(*pair.base_type);
  if (bound == nullptr || base_bound == nullptr) return pair;
  pair.data = DataRange(file_, tensor);
  pair.base_file = base.file;
  pair.base_data = DataRange(*base.file, *base.info);
  pair.weights =
      pair.data.size() / pair.type->block_bytes * pair.type->block_elements;
  pair.judge.emplace(*pair.type, *bound, *base_bound);
  return pair;
}

void Comparer::Work() {
  Window window;
  Piece piece;
  while (Next(&piece)) {
    const DifferenceSums sums = Compare(pairs_[piece.pair], piece, &window);
    const std::lock_guard<std::mutex> lock(mutex_);
    sums_[piece.pair].Add(sums);
  }
}

bool Comparer::Next(Piece* piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (options_.stop && options_.stop()) stopped_ = true;
  if (options_.progress) options_.progress(done_, total_);
  while (!stopped_ && next_pair_ < pairs_.size()) {
    const Pair& pair = pairs_[next_pair_];
    if (!pair.judge || next_weight_ == pair.weights) {
      ++next_pair_;
      next_weight_ = 0;
      continue;
    }
    const uint64_t n =
        std::min(options_.piece_weights, pair.weights - next_weight_);
    *piece = {next_pair_, next_weight_, next_weight_ + n};
    next_weight_ += n;
    done_ += BytesOf(*pair.type, n);
    return true;
  }
  return false;
}

DifferenceSums Comparer::Compare(const Pair& pair, const Piece& piece,
                                 Window* window) const {
  const auto read = [&](const File& file, const TensorTypeInfo& type,
                        const Range& data, std::string* buffer) {
    return file.Read({data.begin + BytesOf(type, piece.begin),
                      data.begin + BytesOf(type, piece.end)},
                     buffer);
  };
  const Endian base_endian = pair.base_file->encoding.endian;
  const Endian endian = file_.encoding.endian;
  const Bytes base_bytes = read(*pair.base_file, *pair.base_type,
                                pair.base_data, &window->base_bytes);
  const Bytes bytes = read(file_, *pair.type, pair.data, &window->file_bytes);
  WeightReader base(
      *pair.base_type, base_endian, base_bytes,
      IsComparedAsStored(static_cast<TensorType>(pair.base_type->id),
                         base_endian));
  WeightReader tensor(*pair.type, endian, bytes,
                      AreFloats(*pair.type, endian, bytes));
  const auto weights_at = [&](uint64_t begin, uint64_t n,
                              uint64_t padded) -> WeightsOfBoth {
    const uint64_t from = begin - piece.begin;
    return {base.At(from, n, padded, &window->base),
            tensor.At(from, n, padded, &window->file)};
  };
  DifferenceSums sums;
  const TensorJudge& judge = *pair.judge;
  const uint64_t block = judge.block_weights();
  for (uint64_t at = piece.begin; at < piece.end; at += kWindow) {
    const uint64_t end = std::min(at + kWindow, piece.end);
    uint64_t blocks = 0;
    for (uint64_t begin = at; begin < end; begin += kStep) {
      const uint64_t n = std::min(kStep, end - begin);
      const uint64_t count = (n + block - 1) / block;
      const WeightsOfBoth weights = weights_at(begin, n, count * block);
      const float max_error =
          weights.Compare(block, count, &window->blocks[blocks]);
      sums.max_error = std::max<double>(sums.max_error, max_error);
      if (judge.needs_slope()) {
        AddSlope(pair, begin, n, base, weights, window, &sums.slope);
      }
      blocks += count;
    }
    if (judge.Add(window->blocks.data(), blocks, &sums)) continue;
    for (uint64_t i = 0; i < blocks; ++i) {
      const uint64_t begin = at + i * block;
      const uint64_t n = std::min(block, end - begin);
      const BlockDifference& difference = window->blocks[i];
      const bool is_right = judge.JudgeBlock(begin, n, difference, &sums);
      if (!is_right || !judge.NeedsGroups(difference)) continue;
      const uint64_t group = judge.group_weights();
      weights_at(begin, n, block)
          .Compare(group, block / group, window->groups.data());
      judge.JudgeGroups(begin, difference, window->groups.data(), &sums);
    }
  }
  return sums;
}

// Adds some blocks of a window, the same ones whatever the pieces are.
void Comparer::AddSlope(const Pair& pair, uint64_t at, uint64_t n,
                        const WeightReader& base, const WeightsOfBoth& weights,
                        Window* window, MagnitudeSlope* slope) {
  const uint64_t every = std::max<uint64_t>(1, pair.weights / kSlopeWeights);
  constexpr uint64_t kBlock = MagnitudeSlope::kBlock;
  for (uint64_t i = 0; i + kBlock <= n; i += kBlock) {
    if ((at + i) / kBlock % every != 0) continue;
    slope->AddBlock(base.Floats(weights.base, i, kBlock, &window->for_slope),
                    weights.file.floats() + i);
  }
}

ComparedTensor Comparer::ResultOf(uint32_t index) const {
  const Pair& pair = pairs_[index];
  ComparedTensor result;
  result.name = std::string(pair.tensor->name.value);
  const TensorTypeInfo* type = pair.tensor->type_info();
  result.type = type != nullptr ? type->name : "?";
  if (!pair.judge) return result;
  result.base_type = pair.base_type->name;
  pair.judge->Judge(sums_[index], pair.weights, &result);
  return result;
}

}  // namespace

std::optional<std::vector<ComparedTensor>> CompareTensors(
    const File& file, const Placement& placement, const Origin& origin,
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
