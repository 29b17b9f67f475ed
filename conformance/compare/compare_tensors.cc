// Hands pieces of tensors to threads, which add up their differences.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/compare_tensors.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "conformance/compare/bounds.h"
#include "conformance/compare/compare_piece.h"
#include "conformance/threads/threads.h"

namespace gguf {
namespace {

// About this many weights of a tensor are examined even if they lose no more
// than usual.  A larger sample would hardly improve the estimates.
constexpr uint64_t kSample = 1 << 18;

// The same tensor in both files.
struct Pair {
  const TensorInfo* tensor = nullptr;
  const TensorTypeInfo* type = nullptr;
  Range data;
  const File* base_file = nullptr;
  const TensorTypeInfo* base_type = nullptr;
  Range base_data;
  uint64_t weights = 0;
  // One window of this many is in the sample.
  uint64_t every = 1;
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

class Comparer {
 public:
  Comparer(const File& file, const Placement& placement, const Origin& origin,
           const CompareOptions& options)
      : file_(file), options_(options), sums_(file.tensors.size()) {
    for (const TensorInfo& tensor : file.tensors) {
      pairs_.push_back(PairOf(tensor, placement, origin));
      if (pairs_.back().judge) Enqueue(tensor.index);
    }
  }

  bool Run() {
    RunThreads(options_.jobs, [this] { Work(); });
    if (stopped_) return false;
    EnqueueAgain();
    if (!queue_.empty()) RunThreads(options_.jobs, [this] { Work(); });
    return !stopped_;
  }

  ComparedTensor ResultOf(uint32_t index) const;

 private:
  Pair PairOf(const TensorInfo& tensor, const Placement& placement,
              const Origin& origin) const;
  void Enqueue(uint32_t index);
  void EnqueueAgain();
  void Work();
  bool Next(Piece* piece);

  const File& file_;
  const CompareOptions& options_;
  std::vector<Pair> pairs_;      // By index.
  std::vector<uint32_t> queue_;  // Pairs to compare.
  uint64_t total_ = 0;           // Bytes.

  std::mutex mutex_;  // Guards what follows.
  size_t next_ = 0;   // In the queue.
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
  // A sample of all columns of a matrix.
  pair.every = pair.weights / kSample | 1;
  while (std::gcd(pair.every, tensor.dims[0]) != 1) pair.every += 2;
  pair.judge.emplace(*pair.type, *bound, *base_bound);
  return pair;
}

void Comparer::Enqueue(uint32_t index) {
  queue_.push_back(index);
  total_ += pairs_[index].data.size();
}

// Compares tensors again without a sample if it is not like the rest, or if
// they do not pass: sampling causes no finding, and findings have exact
// numbers.
void Comparer::EnqueueAgain() {
  const std::vector<uint32_t> compared = std::exchange(queue_, {});
  next_ = 0;
  for (const uint32_t index : compared) {
    Pair& pair = pairs_[index];
    if (pair.every == 1) continue;
    if (sums_[index].IsSampleFair(pair.every) &&
        ResultOf(index).result == ComparedTensor::kPass) {
      continue;
    }
    pair.every = 1;
    sums_[index] = DifferenceSums();
    Enqueue(index);
  }
}

void Comparer::Work() {
  std::string base_bytes, bytes;  // If a file is not mapped.
  const auto read = [](const File& file, const TensorTypeInfo& type,
                       const Range& data, const Piece& piece,
                       std::string* buffer) -> StoredPart {
    const Range where = {data.begin + BytesOf(type, piece.begin),
                         data.begin + BytesOf(type, piece.end)};
    return {&type, file.encoding.endian, file.Read(where, buffer)};
  };
  Piece piece;
  while (Next(&piece)) {
    const Pair& pair = pairs_[piece.pair];
    const DifferenceSums sums =
        ComparePiece(read(*pair.base_file, *pair.base_type, pair.base_data,
                          piece, &base_bytes),
                     read(file_, *pair.type, pair.data, piece, &bytes),
                     piece.begin, piece.end, pair.every, *pair.judge);
    const std::lock_guard<std::mutex> lock(mutex_);
    sums_[piece.pair].Add(sums);
  }
}

bool Comparer::Next(Piece* piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (options_.stop && options_.stop()) stopped_ = true;
  if (options_.progress) options_.progress(done_, total_);
  while (!stopped_ && next_ < queue_.size()) {
    const Pair& pair = pairs_[queue_[next_]];
    if (next_weight_ == pair.weights) {
      ++next_;
      next_weight_ = 0;
      continue;
    }
    const uint64_t n =
        std::min(options_.piece_weights, pair.weights - next_weight_);
    *piece = {queue_[next_], next_weight_, next_weight_ + n};
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
