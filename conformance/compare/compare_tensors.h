// CompareTensors: reads a file and its base together, with several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_COMPARE_TENSORS_H_
#define GGUF_CONFORMANCE_COMPARE_COMPARE_TENSORS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/compare/tensor_judge.h"
#include "conformance/model/placement.h"
#include "parser/core/file.h"

namespace gguf {

struct CompareOptions {
  unsigned jobs = 1;  // Threads.
  // The weights that a thread takes at a time; a multiple of kMostBlock.
  uint64_t piece_weights = 1 << 20;

  // Called between pieces of work, by one thread at a time, with the number of
  // bytes of the file that were compared, and of all bytes, which grows if some
  // have to be compared again.  May be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The work ends early when it returns true.  May be empty.
  std::function<bool()> stop;
};

// Returns the differences of the file's tensors from those of the origin, which
// has a base, by index.  Each piece of both files is read once; large tensors
// that do not pass, or that a sample does not show, are read a second time.
// Memory does not grow with the files.  Returns nothing if `stop` ended it.
//
// `file` must be complete and its alignment known.
std::optional<std::vector<ComparedTensor>> CompareTensors(
    const File& file, const Placement& placement, const Origin& origin,
    const CompareOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_COMPARE_TENSORS_H_
