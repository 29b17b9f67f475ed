// The tensors' data: its placement in the file, and the scan that reads it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_DATA_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_DATA_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/weight_scan.h"
#include "kernels/weight_stats.h"
#include "parser/file.h"

namespace gguf {

// Placement: the positions of the tensors' data in the file.

// The placement of one tensor.  Faults are tested in this order.
enum class Place : uint8_t {
  kSizeUnknown,  // Its type or shape is wrong.
  kMisaligned,   // The offset is not a multiple of the alignment.
  kOutside,      // Partly or wholly past the end of the file.
  kOverlapping,  // Shares bytes with another tensor.
  kGood,         // Shares bytes with no tensor inside the file.
};

struct Placement {
  // By tensor index.
  std::vector<Place> places;

  // The tensors inside the file that occupy bytes, including misaligned and
  // overlapping ones, sorted by their begin.
  std::vector<uint32_t> by_begin;

  // Set for overlapping tensors, by position in `by_begin`: the preceding
  // tensor in the file with which they share bytes.
  struct Overlap {
    uint32_t tensor;
    uint32_t other;
  };
  std::vector<Overlap> overlaps;

  // The end of the last tensor's data, from the start of the file.  Nothing if
  // unknown, because a tensor is not kGood.
  std::optional<uint64_t> data_end;
};

// The largest plausible alignment.
constexpr uint64_t kMostPlausibleAlignment = 1 << 20;

// Returns whether the data of a tensor of known size lies inside the file.
bool IsInFile(const File& file, const TensorInfo& tensor);

// `file` must be complete and its alignment known.
Placement PlaceTensors(const File& file);

// Returns the bytes of a tensor that is inside the file, from the start of the
// file.
Range DataRange(const File& file, const TensorInfo& tensor);

// Calls each(bytes, offset) with the tensor's data in pieces of 64 KiB, whole numbers of all types
// of numbers, and where each begins in the file, until it returns false.  Calls nothing if the data
// is not in the file.
template <class Function>
void ForEachPiece(const File& file, const TensorInfo& tensor, Function each) {
  constexpr uint64_t kPiece = 64 << 10;
  if (!tensor.bytes || !IsInFile(file, tensor)) return;
  std::string buffer;
  const Range data = DataRange(file, tensor);
  for (uint64_t begin = data.begin; begin < data.end; begin += kPiece) {
    PollDeadline();
    if (!each(file.Read({begin, std::min(begin + kPiece, data.end)}, &buffer), begin)) return;
  }
}

// Returns the bytes of all tensors, by index.  Each must be inside the file.
std::vector<Range> DataRanges(const File& file);

// DataFaults: what shows that the data section is not the one that was published.

// Runs of zero bytes, from the start of the file.
struct EmptyPlaces {
  uint64_t count = 0;
  uint64_t bytes = 0;
  Range first;  // In the order of the file.

  // The order does not matter.
  void Add(const EmptyPlaces& other);
};

// Programs reserve space, and fill, resume and repair files, by whole pages of 4 KiB.  A run of
// zeros counts if it contains one, and if rows of zeros, which real models have, do not explain it.
struct DataFaults {
  // Whether the data, or the holes of the file, were looked at.
  bool looked_for_empty = false;
  // The runs that cross from one tensor into another, reach the end of the data, or have 1 MiB.
  EmptyPlaces unfilled;
  // Other runs that begin and end inside a row.
  EmptyPlaces ragged;
  // The first place at which the file begins again.
  std::optional<uint64_t> second_header;

  // The order does not matter.
  void Add(const DataFaults& other);
  void AddSecondHeader(std::optional<uint64_t> offset);
};

// ScanTensors: reads the data of all tensors of a file, with several threads.

// The result of scanning one tensor's data.
struct TensorScan {
  bool scanned = false;  // False if misplaced or of no supported type.
  WeightFaults faults;

  // Whether any two weights differ.  False for one weight, or none.
  bool varies = false;

  // For tensors that hold indexes: the number of values below 0 or not below
  // the bound, and the first of them by element.
  uint64_t bad_indexes = 0;
  uint64_t first_bad_index = 0;

  WeightStats stats;  // If requested.
};

struct ScanOptions {
  unsigned jobs = 1;   // Threads.
  bool stats = false;  // Dequantizes all data.
  // The bytes that a thread processes at a time, rounded up to whole blocks.
  // Not 0.
  uint64_t piece_bytes = 4 << 20;

  // Called between pieces of work, by one thread at a time, with the number of
  // bytes read and of all bytes.  May be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The scan ends early when it returns true.  May be empty.
  std::function<bool()> stop;
};

struct DataScan {
  std::vector<TensorScan> tensors;  // By index.
  DataFaults faults;
};

// Only tensors that do not overlap others are read, so the time is bounded by
// the file's size.  Returns nothing if `stop` ended the scan.
//
// `file` must be complete and its alignment known.
std::optional<DataScan> ScanTensors(const File& file, const Placement& placement,
                                    const ScanOptions& options);

// Returns the exclusive bound of the values of an I32 tensor; nothing if it
// does not hold indexes, or if the file does not state the bound.
std::optional<uint64_t> IndexBound(const File& file, const TensorInfo& tensor);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_DATA_H_
