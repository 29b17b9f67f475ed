// ScanTensors: reads the data of all tensors of a file, with several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_SCAN_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_SCAN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "conformance/model/placement.h"
#include "kernels/weight_scan.h"
#include "kernels/weight_stats.h"
#include "parser/core/file.h"

namespace gguf {

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

// Returns scans by tensor index.  Only tensors that do not overlap others are
// read, so the time is bounded by the file's size.  Returns nothing if `stop`
// ended the scan.
//
// `file` must be complete and its alignment known.
std::optional<std::vector<TensorScan>> ScanTensors(const File& file, const Placement& placement,
                                                   const ScanOptions& options);

// Returns the exclusive bound of the values of an I32 tensor; nothing if it
// does not hold indexes, or if the file does not state the bound.
std::optional<uint64_t> IndexBound(const File& file, const TensorInfo& tensor);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_SCAN_H_
