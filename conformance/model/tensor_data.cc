// Computes placements in one sweep over the tensors in the order of their data; scans the data in
// pieces of a few megabytes, handed to threads in the order of the file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_data.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/threads.h"
#include "conformance/model/data_faults.h"
#include "kernels/byte_scan.h"
#include "kernels/dequantize.h"

namespace gguf {
namespace {

Place PlaceAlone(const File& file, const TensorInfo& tensor) {
  if (!tensor.bytes) return Place::kSizeUnknown;
  if (tensor.offset.value % file.alignment != 0) return Place::kMisaligned;
  return IsInFile(file, tensor) ? Place::kGood : Place::kOutside;
}

}  // namespace

bool IsInFile(const File& file, const TensorInfo& tensor) {
  const auto begin = CheckedAdd(file.data_begin, tensor.offset.value);
  const auto end = begin ? CheckedAdd(*begin, *tensor.bytes) : std::nullopt;
  return end && *end <= file.size;
}

Range DataRange(const File& file, const TensorInfo& tensor) {
  const uint64_t begin = file.data_begin + tensor.offset.value;
  return {begin, begin + *tensor.bytes};
}

std::vector<Range> DataRanges(const File& file) {
  std::vector<Range> ranges;
  for (const TensorInfo& tensor : file.tensors) {
    ranges.push_back(DataRange(file, tensor));
  }
  return ranges;
}

Placement PlaceTensors(const File& file) {
  Placement placement;
  placement.places.reserve(file.tensors.size());
  bool all_good = true;
  bool in_order = true;
  uint64_t last_begin = 0;
  for (const TensorInfo& tensor : file.tensors) {
    const Place place = PlaceAlone(file, tensor);
    placement.places.push_back(place);
    all_good &= place == Place::kGood;
    if (tensor.bytes.value_or(0) > 0 && IsInFile(file, tensor)) {
      placement.by_begin.push_back(tensor.index);
      in_order &= last_begin <= tensor.offset.value;
      last_begin = tensor.offset.value;
    }
  }
  const auto begin = [&](uint32_t i) { return file.tensors[i].offset.value; };
  const auto before = [&](uint32_t a, uint32_t b) {
    return begin(a) != begin(b) ? begin(a) < begin(b) : a < b;
  };
  auto& order = placement.by_begin;
  if (!in_order) std::sort(order.begin(), order.end(), before);

  uint64_t end = file.data_begin;
  uint32_t last = 0;  // The tensor that ends there.
  for (const uint32_t i : order) {
    const Range range = DataRange(file, file.tensors[i]);
    if (range.begin < end) {
      placement.overlaps.push_back({i, last});
      for (const uint32_t one : {i, last}) {
        Place& place = placement.places[one];
        if (place == Place::kGood) place = Place::kOverlapping;
      }
      all_good = false;
    }
    if (range.end > end) {
      end = range.end;
      last = i;
    }
  }
  if (all_good) placement.data_end = end;
  return placement;
}

// Scans tensors in pieces of a few megabytes, handed to threads in the order of
// the file.

namespace {

constexpr size_t kMostBlockElements = 256;

// Tensors of indexes, by the suffix of their names, and the keys of their
// bounds.
struct IndexTensor {
  absl::string_view name_end;
  absl::string_view bound_key;  // After the architecture's prefix.
};
constexpr IndexTensor kIndexTensors[] = {
    {".ffn_gate_tid2eid.weight", "expert_count"},
};

// Some blocks of one tensor.
struct Piece {
  uint32_t tensor = 0;
  uint64_t first_block = 0;
  uint64_t blocks = 0;
  bool varies = false;  // Known already.
};

class Scanner {
 public:
  Scanner(const File& file, const Placement& placement, const ScanOptions& options)
      : file_(file), placement_(placement), options_(options), scans_(file.tensors.size()) {
    // The more bytes are searched for, the fewer are compared.
    constexpr uint64_t kMost = 1024;
    const absl::string_view beginning = Beginning(file_, std::min(kMost, file_.infos_end));
    if (!beginning.empty()) header_.emplace(beginning);
    for (const TensorInfo& tensor : file_.tensors) {
      if (IsScannable(tensor)) total_ += *tensor.bytes;
    }
  }

  std::optional<DataScan> Run() {
    const uint64_t pieces = total_ / options_.piece_bytes + 1;
    RunThreads(std::min<uint64_t>(options_.jobs, pieces), [this] { Work(); });
    if (stopped_) return std::nullopt;
    faults_.looked_for_empty = true;
    JudgeZeroRuns(file_, placement_, std::move(edge_runs_), &faults_);
    return DataScan{std::move(scans_), faults_};
  }

 private:
  bool IsScannable(const TensorInfo& tensor) const {
    return placement_.places[tensor.index] == Place::kGood && tensor.has_known_weights();
  }

  void Work() {
    std::vector<Piece> pieces;
    std::string buffer;
    while (Next(&pieces)) {
      for (const Piece& piece : pieces) Scan(piece, &buffer);
    }
  }

  // Takes the next pieces, of about piece_bytes in total.
  bool Next(std::vector<Piece>* pieces);
  void Scan(const Piece& piece, std::string* buffer);
  void FindZeroRuns(Bytes data, uint64_t begin, std::vector<Range>* edges,
                    DataFaults* faults) const;
  void CheckIndexes(const TensorInfo& tensor, Bytes data, uint64_t first, TensorScan* scan) const;
  bool Varies(const TensorInfo& tensor, Bytes data) const;
  WeightStats Stats(const TensorInfo& tensor, Bytes data) const;
  std::vector<float> Weights(const TensorInfo& tensor, Bytes data) const;

  const File& file_;
  const Placement& placement_;
  const ScanOptions& options_;
  uint64_t total_ = 0;                // Bytes.
  std::optional<TextFinder> header_;  // The beginning of the file.

  std::mutex mutex_;  // Guards what follows.
  uint32_t next_tensor_ = 0;
  uint64_t next_block_ = 0;
  uint64_t done_ = 0;
  bool stopped_ = false;
  std::vector<TensorScan> scans_;
  DataFaults faults_;
  // The runs of zeros at the edges of pieces, which may be parts of longer ones.
  std::vector<Range> edge_runs_;
};

bool Scanner::Next(std::vector<Piece>* pieces) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (options_.stop && options_.stop()) stopped_ = true;
  if (options_.progress) options_.progress(done_, total_);
  pieces->clear();
  uint64_t bytes = 0;
  while (!stopped_ && bytes < options_.piece_bytes && next_tensor_ < scans_.size()) {
    const TensorInfo& tensor = file_.tensors[next_tensor_];
    TensorScan& scan = scans_[next_tensor_];
    scan.scanned = IsScannable(tensor);
    if (!scan.scanned || *tensor.bytes == 0) {
      ++next_tensor_;
      continue;
    }
    const uint64_t block_bytes = tensor.type_info()->block_bytes;
    const uint64_t all = *tensor.bytes / block_bytes;
    const uint64_t blocks =
        std::min(all - next_block_, (options_.piece_bytes - bytes) / block_bytes + 1);
    pieces->push_back({next_tensor_, next_block_, blocks, scan.varies});
    bytes += blocks * block_bytes;
    next_block_ += blocks;
    if (next_block_ == all) {
      ++next_tensor_;
      next_block_ = 0;
    }
  }
  done_ += bytes;
  return !pieces->empty();
}

void Scanner::Scan(const Piece& piece, std::string* buffer) {
  const TensorInfo& tensor = file_.tensors[piece.tensor];
  const TensorTypeInfo& info = *tensor.type_info();
  const auto type = static_cast<TensorType>(info.id);
  const uint64_t begin = DataRange(file_, tensor).begin + piece.first_block * info.block_bytes;
  const uint64_t size = piece.blocks * info.block_bytes;
  // A second header may begin in the last bytes.
  const uint64_t beyond = header_ ? header_->text().size() : 0;
  const uint64_t end = begin + size + std::min(beyond, file_.size - begin - size);
  const Bytes bytes = file_.Read({begin, end}, buffer);
  const Bytes data = bytes.subspan(0, size);

  DataFaults faults;
  std::vector<Range> edges;
  TensorScan found;
  // So few bytes at a time that the second search finds them in the cache.
  const uint64_t some = (16 << 10) / info.block_bytes * info.block_bytes;
  for (uint64_t at = 0; at < size; at += some) {
    found.faults.Add(ScanWeights(type, data.subspan(at, some), file_.encoding.endian),
                     at / info.block_bytes, info.block_elements);
    if (header_ && !faults.second_header) {
      const Bytes searched = bytes.subspan(at, some + beyond);
      const size_t header = header_->Find(searched);
      if (header < searched.size()) faults.second_header = begin + at + header;
    }
  }
  FindZeroRuns(data, begin, &edges, &faults);
  found.varies = piece.varies || Varies(tensor, data);
  CheckIndexes(tensor, data, piece.first_block, &found);
  if (options_.stats) found.stats = Stats(tensor, data);

  const std::lock_guard<std::mutex> lock(mutex_);
  TensorScan& scan = scans_[piece.tensor];
  scan.faults.Add(found.faults, piece.first_block, info.block_elements);
  scan.varies |= found.varies;
  if (found.bad_indexes > 0) {
    scan.first_bad_index = scan.bad_indexes == 0
                               ? found.first_bad_index
                               : std::min(scan.first_bad_index, found.first_bad_index);
    scan.bad_indexes += found.bad_indexes;
  }
  scan.stats.Add(found.stats);
  faults_.Add(faults);
  edge_runs_.insert(edge_runs_.end(), edges.begin(), edges.end());
}

// Nearly every page is settled by its first bytes.
void Scanner::FindZeroRuns(Bytes data, uint64_t begin, std::vector<Range>* edges,
                           DataFaults* faults) const {
  constexpr uint64_t kPage = 4096;
  const uint64_t head = CountLeadingZeros(data);
  const uint64_t tail = head == data.size() ? 0 : CountTrailingZeros(data);
  if (head > 0) edges->push_back({begin, begin + head});
  if (tail > 0) edges->push_back({begin + data.size() - tail, begin + data.size()});
  const uint64_t end = data.size() - tail;
  for (uint64_t at = head + (kPage - (begin + head) % kPage) % kPage; at < end && end - at >= kPage;
       at += kPage) {
    if (data[at] != 0 || !IsZero(data.subspan(at, kPage))) continue;
    const uint64_t before =
        CountTrailingZeros(data.subspan(at - std::min(at, kPage), std::min(at, kPage)));
    const uint64_t after = CountLeadingZeros(data.subspan(at));
    JudgeZeroRuns(file_, placement_, {{begin + at - before, begin + at + after}}, faults);
    at += after / kPage * kPage;
  }
}

void Scanner::CheckIndexes(const TensorInfo& tensor, Bytes data, uint64_t first,
                           TensorScan* scan) const {
  const auto bound = IndexBound(file_, tensor);
  if (!bound) return;
  for (uint64_t i = 0; i < data.size() / 4; ++i) {
    const auto value =
        static_cast<int32_t>(LoadUnsigned<uint32_t>(data.data() + 4 * i, file_.encoding.endian));
    if (value >= 0 && static_cast<uint64_t>(value) < *bound) continue;
    if (scan->bad_indexes++ == 0) scan->first_bad_index = first + i;
  }
}

std::vector<float> Scanner::Weights(const TensorInfo& tensor, Bytes data) const {
  const TensorTypeInfo& info = *tensor.type_info();
  std::vector<float> weights(data.size() / info.block_bytes * info.block_elements);
  const auto error = Dequantize(static_cast<TensorType>(info.id), data, absl::MakeSpan(weights),
                                file_.encoding.endian);
  Assert(!error, "whole blocks cannot be dequantized");
  return weights;
}

// Returns whether a weight of `data` differs from the tensor's first weight.
// The first block nearly always decides; in a constant tensor, all bytes are
// compared.
bool Scanner::Varies(const TensorInfo& tensor, Bytes data) const {
  const uint64_t size = tensor.type_info()->block_bytes;
  const uint64_t begin = DataRange(file_, tensor).begin;
  std::string buffer;
  const Bytes first = file_.Read({begin, begin + size}, &buffer);
  const std::vector<float> first_weights = Weights(tensor, first);
  const auto differs = [&](float weight) {
    return std::memcmp(&weight, &first_weights[0], sizeof weight) != 0;
  };
  const auto has_other = [&](const std::vector<float>& weights) {
    return std::any_of(weights.begin(), weights.end(), differs);
  };
  if (has_other(first_weights)) return true;
  const bool all_blocks_same =
      std::memcmp(data.data(), first.data(), size) == 0 &&
      std::memcmp(data.data(), data.data() + size, data.size() - size) == 0;
  if (all_blocks_same) return false;
  for (uint64_t at = 0; at < data.size(); at += size) {
    if (has_other(Weights(tensor, data.subspan(at, size)))) return true;
  }
  return false;
}

WeightStats Scanner::Stats(const TensorInfo& tensor, Bytes data) const {
  constexpr uint64_t kBlocksAtATime = 64;
  WeightStats stats;
  const uint64_t step = kBlocksAtATime * kMostBlockElements / tensor.type_info()->block_elements *
                        tensor.type_info()->block_bytes;
  for (uint64_t at = 0; at < data.size(); at += step) {
    stats.Add(Weights(tensor, data.subspan(at, step)));
  }
  return stats;
}

}  // namespace

std::optional<DataScan> ScanTensors(const File& file, const Placement& placement,
                                    const ScanOptions& options) {
  return Scanner(file, placement, options).Run();
}

std::optional<uint64_t> IndexBound(const File& file, const TensorInfo& tensor) {
  if (tensor.type.value != static_cast<uint32_t>(TensorType::kI32)) {
    return std::nullopt;
  }
  for (const IndexTensor& index : kIndexTensors) {
    if (!absl::EndsWith(tensor.name.value, index.name_end)) continue;
    const KeyValue* architecture = file.Find("general.architecture");
    if (architecture == nullptr) return std::nullopt;
    const KeyValue* bound =
        file.Find(absl::StrCat(file.String(*architecture).value_or(""), ".", index.bound_key));
    if (bound != nullptr) return file.Unsigned(*bound);
  }
  return std::nullopt;
}

}  // namespace gguf
