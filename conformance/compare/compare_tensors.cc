// Hands pieces of tensors to threads, which add up their differences.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/compare_tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>

#include "absl/types/span.h"
#include "conformance/compare/bounds.h"
#include "conformance/threads/threads.h"
#include "kernels/dequantize.h"
#include "kernels/weight_difference.h"
#include "parser/core/assert.h"
#include "parser/core/byte_order.h"

namespace gguf {
namespace {

// Weights that are dequantized at a time: those of both files stay in the
// smallest cache, and the processor has time to load those that follow.
constexpr uint64_t kWindow = 4 * kMostBlock;

// Sums over some blocks of a tensor, as BlockDifference.
struct Sums {
  double error = 0, base = 0, file = 0, peaks = 0;
  double base_squares = 0;  // Of the squares of the blocks' `base`.
  double worst = 0;         // The largest error.
  double bad_error = 0;     // Of blocks with too large an error.
  // See ComparedTensor; the square of worst_block.
  double worst_block = 0;
  uint64_t worst_at = 0;
  uint64_t bad_blocks = 0;

  void Add(const Sums& other) {
    error += other.error;
    base += other.base;
    file += other.file;
    peaks += other.peaks;
    base_squares += other.base_squares;
    worst = std::max(worst, other.worst);
    bad_error += other.bad_error;
    bad_blocks += other.bad_blocks;
    // The first of equals, whatever the order of the pieces.
    if (other.worst_block > worst_block ||
        (other.worst_block == worst_block && other.worst_at < worst_at)) {
      worst_block = other.worst_block;
      worst_at = other.worst_at;
    }
  }
};

// The same tensor in both files.
struct Pair {
  const TensorInfo* tensor = nullptr;
  const TensorTypeInfo* type = nullptr;  // Null if it is not compared.
  Range data;
  const File* base_file = nullptr;
  const TensorTypeInfo* base_type = nullptr;
  Range base_data;
  uint64_t weights = 0;
  uint64_t block = 0;  // Weights.
  LossBound bound;
  // Lower limits of what a block may lose: see AddBlocks().
  double least_of_base = 0, least_of_peaks = 0, most_of_base = 0;
};

// Some weights of a pair.
struct Piece {
  uint32_t pair = 0;
  uint64_t begin = 0, end = 0;
};

uint64_t BytesOf(const TensorTypeInfo& type, uint64_t weights) {
  return weights / type.block_elements * type.block_bytes;
}

// Returns `peaks` in units of `base`: each stands for the weights of its group.
double PeaksOf(const BlockDifference& block) {
  return static_cast<double>(block.peaks) * kComparedGroup;
}

// Returns whether weights whose squares have the sum `base` are so small that
// f16 scales lose them.
bool IsTiny(const Loss& loss, double n, double base) {
  const double least = 4 * loss.absolute;
  return base <= n * least * least;
}

// An error that is this much smaller than the least one of unrelated weights.
constexpr double kSlightly = 0.98;

// Returns the smaller of `largest` and 0.98 times the squared error of weights
// whose squares have the sum `file`, at this cosine of the angle from the
// base's.  With a cosine of 0, zeros exceed it.
double AtMostErrorAt(double cosine, double base, double file, double largest) {
  // The root of a product is at most the mean, so most blocks need no root.
  if (largest <= kSlightly * (1 - cosine) * (base + file)) return largest;
  return std::min(
      largest, kSlightly * (base + file - 2 * cosine * std::sqrt(base * file)));
}

// Aligned, so that no vector crosses the border of a cache line.
struct alignas(64) WeightBuffer {
  std::array<float, kWindow> weights;
};

// Weights as a file stores them, or as floats of this machine.
struct StoredWeights {
  TensorType type = TensorType::kF32;
  const uint8_t* bytes = nullptr;

  const float* floats() const { return reinterpret_cast<const float*>(bytes); }
};

// The weights of a piece of a tensor, in order.
class WeightReader {
 public:
  // `bytes` are whole blocks.  With `as_stored`, they need not be dequantized.
  WeightReader(const TensorTypeInfo& type, Endian endian, Bytes bytes,
               bool as_stored)
      : type_(type),
        dequantize_(static_cast<TensorType>(type.id), endian),
        as_stored_(as_stored),
        bytes_(bytes) {}

  // Returns the next `n` weights, of whole blocks, and zeros up to `padded`: as
  // they are stored, or as floats in `buffer`.
  StoredWeights Next(uint64_t n, uint64_t padded, WeightBuffer* buffer) {
    const Bytes bytes = bytes_.subspan(0, BytesOf(type_, n));
    bytes_.remove_prefix(bytes.size());
    if (as_stored_ && n == padded) {
      return {static_cast<TensorType>(type_.id), bytes.data()};
    }
    auto& weights = buffer->weights;
    const auto error = dequantize_(bytes, absl::MakeSpan(weights.data(), n));
    Assert(!error, "whole blocks cannot be dequantized");
    std::fill(weights.begin() + n, weights.begin() + padded, 0.0f);
    return {TensorType::kF32, reinterpret_cast<const uint8_t*>(weights.data())};
  }

 private:
  const TensorTypeInfo& type_;
  const Dequantizer dequantize_;
  const bool as_stored_;
  Bytes bytes_;  // Of the weights that follow.
};

// Returns whether bytes are floats that can be read in place.
bool AreFloats(const TensorTypeInfo& type, Endian endian, Bytes bytes) {
  return type.id == static_cast<uint32_t>(TensorType::kF32) &&
         endian == kHostEndian &&
         reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0;
}

// Returns how many blocks of equal size a tensor has in effect: 1 if all
// weights outside one block are zero.
double EffectiveBlocks(const Sums& sums, double blocks) {
  if (!(sums.base_squares > 0)) return blocks;
  return std::clamp(sums.base * sums.base / sums.base_squares, 1.0, blocks);
}

double Root(double square) { return std::sqrt(std::max(square, 0.0)); }

class Comparer {
 public:
  Comparer(const File& file, const Placement& placement, const Origin& origin,
           const CompareOptions& options)
      : file_(file), options_(options), sums_(file.tensors.size()) {
    for (const TensorInfo& tensor : file.tensors) {
      pairs_.push_back(PairOf(tensor, placement, origin));
      if (pairs_.back().type != nullptr) total_ += pairs_.back().data.size();
    }
  }

  bool Run() {
    RunThreads(options_.jobs, [this] { Work(); });
    return !stopped_;
  }

  ComparedTensor ResultOf(uint32_t index) const;

 private:
  // The weights of a window, of both files.
  struct Window {
    WeightBuffer base, file;
    std::array<BlockDifference, kWindow / kComparedGroup> blocks;
    std::string base_bytes, file_bytes;  // If a file is not mapped.
  };

  Pair PairOf(const TensorInfo& tensor, const Placement& placement,
              const Origin& origin) const;
  void Work();
  bool Next(Piece* piece);
  Sums Compare(const Pair& pair, const Piece& piece, Window* window) const;
  static bool AddBlocks(const Pair& pair, const BlockDifference* blocks,
                        uint64_t n, Sums* sums);
  static void JudgeBlock(const Pair& pair, uint64_t begin, uint64_t n,
                         const BlockDifference& block, Sums* sums);

  const File& file_;
  const CompareOptions& options_;
  std::vector<Pair> pairs_;  // By index.
  uint64_t total_ = 0;       // Bytes.

  std::mutex mutex_;  // Guards what follows.
  uint32_t next_pair_ = 0;
  uint64_t next_weight_ = 0;
  uint64_t done_ = 0;
  bool stopped_ = false;
  std::vector<Sums> sums_;  // By index.
};

// Leaves `type` null if the two cannot be compared.
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
  const TensorTypeInfo* type = tensor.type_info();
  pair.base_type = base.info->type_info();
  const LossBound* bound = FindLossBound(*type);
  const LossBound* base_bound = FindLossBound(*pair.base_type);
  if (bound == nullptr || base_bound == nullptr) return pair;
  pair.type = type;
  pair.data = DataRange(file_, tensor);
  pair.base_file = base.file;
  pair.base_data = DataRange(*base.file, *base.info);
  pair.weights = pair.data.size() / type->block_bytes * type->block_elements;
  pair.block =
      type->block_elements * 4 < kMostBlock ? kMostBlock : type->block_elements;
  pair.bound = Together(*bound, *base_bound);
  const Loss& block = pair.bound.block;
  pair.least_of_base = block.of_rms * block.of_rms;
  pair.least_of_peaks = block.of_peak * block.of_peak;
  // The least value of AtMostErrorAt(), whatever the file's weights.
  pair.most_of_base = kSlightly * (1 - pair.bound.cosine * pair.bound.cosine);
  return pair;
}

void Comparer::Work() {
  Window window;
  Piece piece;
  while (Next(&piece)) {
    const Sums sums = Compare(pairs_[piece.pair], piece, &window);
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
    if (pair.type == nullptr || next_weight_ == pair.weights) {
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

Sums Comparer::Compare(const Pair& pair, const Piece& piece,
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
  Sums sums;
  for (uint64_t at = piece.begin; at < piece.end; at += kWindow) {
    const uint64_t n = std::min(kWindow, piece.end - at);
    const uint64_t blocks = (n + pair.block - 1) / pair.block;
    const uint64_t padded = blocks * pair.block;
    const StoredWeights base_weights = base.Next(n, padded, &window->base);
    const StoredWeights weights = tensor.Next(n, padded, &window->file);
    const float worst =
        CompareWeights(base_weights.type, base_weights.bytes, weights.floats(),
                       pair.block, blocks, window->blocks.data());
    sums.worst = std::max<double>(sums.worst, worst);
    if (AddBlocks(pair, window->blocks.data(), blocks, &sums)) continue;
    for (uint64_t i = 0; i < blocks; ++i) {
      const uint64_t begin = i * pair.block;
      JudgeBlock(pair, at + begin, std::min(pair.block, n - begin),
                 window->blocks[i], &sums);
    }
  }
  return sums;
}

// Adds blocks to the sums.  Returns whether each of them surely loses no more
// than it may, and is not the worst so far: JudgeBlock() need not look at them.
bool Comparer::AddBlocks(const Pair& pair, const BlockDifference* blocks,
                         uint64_t n, Sums* sums) {
  double error = 0, base = 0, file = 0, peaks = 0, base_squares = 0;
  bool is_likely = true;
  const double worst = std::min(1.0, sums->worst_block);
  for (uint64_t i = 0; i < n; ++i) {
    const double of_error = blocks[i].error, of_base = blocks[i].base;
    const double of_peaks = PeaksOf(blocks[i]);
    error += of_error;
    base += of_base;
    file += blocks[i].file;
    peaks += of_peaks;
    base_squares += of_base * of_base;
    const double least = std::min(
        std::max(pair.least_of_base * of_base, pair.least_of_peaks * of_peaks),
        pair.most_of_base * of_base);
    is_likely &= of_error <= least * worst;
  }
  sums->error += error;
  sums->base += base;
  sums->file += file;
  sums->peaks += peaks;
  sums->base_squares += base_squares;
  return is_likely;
}

void Comparer::JudgeBlock(const Pair& pair, uint64_t begin, uint64_t n,
                          const BlockDifference& block, Sums* sums) {
  if (block.error == 0) return;
  double largest = pair.bound.block.Largest(n, block.base, PeaksOf(block));
  if (n == pair.block && !IsTiny(pair.bound.block, n, block.base) &&
      (pair.bound.cosine > 0 || block.file == 0)) {
    largest = AtMostErrorAt(pair.bound.cosine, block.base, block.file, largest);
  }
  // Also for a NaN.
  if (!(block.error <= largest)) {
    ++sums->bad_blocks;
    sums->bad_error += block.error;
  }
  double excess = block.error / largest;
  if (std::isnan(excess)) excess = std::numeric_limits<double>::infinity();
  if (excess > sums->worst_block) {
    sums->worst_block = excess;
    sums->worst_at = begin;
  }
}

ComparedTensor Comparer::ResultOf(uint32_t index) const {
  const Pair& pair = pairs_[index];
  const Sums& sums = sums_[index];
  ComparedTensor result;
  result.name = std::string(pair.tensor->name.value);
  const TensorTypeInfo* type = pair.tensor->type_info();
  result.type = type != nullptr ? type->name : "?";
  if (pair.type == nullptr) return result;
  result.base_type = pair.base_type->name;
  result.weights = pair.weights;

  const double n = static_cast<double>(pair.weights);
  const double products = (sums.base + sums.file - sums.error) / 2;
  const double rms = Root(sums.base);
  const double norms = rms * Root(sums.file);
  const double blocks = EffectiveBlocks(sums, n / pair.block);
  const Loss loss = pair.bound.OfTensor(blocks);
  double largest = loss.Largest(n, sums.base, sums.peaks);
  if (!IsTiny(loss, n, sums.base)) {
    largest = AtMostErrorAt(pair.bound.cosine, sums.base, sums.file, largest);
  }
  result.max_error = sums.worst;
  result.worst_block = Root(sums.worst_block);
  result.worst_at = sums.worst_at;
  result.bad_blocks = sums.bad_blocks;
  result.block_weights = pair.block;
  if (sums.base > 0) {
    result.rmse = Root(sums.error) / rms;
    result.bound = Root(largest) / rms;
    result.gain = products / sums.base;
  }
  result.scale = sums.file > 0 ? products / sums.file : 0;
  result.cosine = norms > 0 ? products / norms : 0;

  // What is left of the error with the best scale.
  const double rest = 1 - result.cosine * result.cosine;
  constexpr double kSumRounding = 1e-6;
  // The scale of few weights is less certain.  Equal floats have equal errors,
  // so their number does not count.
  constexpr double kRounding = 1e-3;
  const double weights =
      blocks * pair.block * (sums.peaks > 0 ? sums.base / sums.peaks : 1);
  const double spread =
      kRounding + (loss.of_peak > 0
                       ? 2 * result.bound / std::sqrt(std::max(weights, 1.0))
                       : loss.of_rms);
  result.scale_judged = pair.bound.shows_scale() && !IsTiny(loss, n, sums.base);
  result.scale_low = 1 + pair.bound.scale_down * rest - spread;
  result.scale_high = 1 + pair.bound.scale_up * rest + spread;

  const bool wrong_scale =
      result.scale_judged &&
      !(result.scale >= result.scale_low && result.scale <= result.scale_high);
  // Whether only some blocks are wrong.
  const bool is_local = sums.bad_blocks > 0 &&
                        sums.bad_blocks * pair.block * 4 <= pair.weights &&
                        sums.error - sums.bad_error <= largest;
  if (wrong_scale && result.scale > 0 &&
      (rest - kSumRounding) * sums.base <= largest) {
    result.result = ComparedTensor::kScale;
  } else if (is_local) {
    result.result = ComparedTensor::kBlock;
  } else if (sums.error <= largest && sums.bad_blocks == 0 && !wrong_scale) {
    result.result = ComparedTensor::kPass;
  } else {
    result.result = ComparedTensor::kError;
  }
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
