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

// What one tensor's data says.
struct TensorScan {
  bool scanned = false;  // False for what is misplaced or of no living type.
  WeightFaults faults;

  // Whether any two weights differ.  False for one weight, or none.
  bool varies = false;

  // Of tensors that hold indexes: values below 0 or not below the bound, and
  // the first of them by element.
  uint64_t bad_indexes = 0;
  uint64_t first_bad_index = 0;

  WeightStats stats;  // When asked for.
};

struct ScanOptions {
  unsigned jobs = 1;   // Threads.
  bool stats = false;  // Dequantizes everything.
  // What a thread takes at a time, up to whole blocks.  Not 0.
  uint64_t piece_bytes = 4 << 20;

  // Called between pieces of work, by one thread at a time, with the bytes that
  // were read and those there are.  May be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The scan ends early when it says true.  May be empty.
  std::function<bool()> stop;
};

// By tensor index.  Only tensors that overlap no other are read, so the time is
// bounded by the file's size.  Nothing when `stop` ended the scan.
//
// `file` is complete and its alignment is known.
std::optional<std::vector<TensorScan>> ScanTensors(const File& file,
                                                   const Placement& placement,
                                                   const ScanOptions& options);

// What the values of an I32 tensor must be below; nothing when it holds no
// indexes, or when the file does not say.
std::optional<uint64_t> IndexBound(const File& file, const TensorInfo& tensor);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_SCAN_H_
