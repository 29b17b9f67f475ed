// CompareTensors: how the tensors of a file differ from those of its origin.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_COMPARISON_H_
#define GGUF_CONFORMANCE_COMPARE_COMPARISON_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conformance/compare/origin.h"
#include "conformance/model/tensor_data.h"
#include "parser/file.h"

namespace gguf {

// The difference of one tensor from the origin's tensor of the same name.
//
// Let b be the origin's weights and f the file's, and rms(x) the root of the
// mean of their squares.
struct ComparedTensor {
  enum Result {
    kNotCompared,  // The data was not read, or has another shape.
    kPass,
    kError,        // `rmse` exceeds `bound`, or the error of more than a quarter of
                   // the blocks is too large.
    kScale,        // The weights are those of the origin times a number.
    kBlock,        // The error of some blocks is too large, that of the rest is not.
    kRequantized,  // The magnitudes depend too little on the origin's, as after
                   // a quantization to one bit.
    kUneven,       // Few blocks lose more than they should, as under an importance
                   // matrix that favors few columns.  Not a failure.
  };

  std::string name;  // Any bytes.
  std::string type, origin_type;
  Result result = kNotCompared;

  uint64_t weights = 0;
  double rmse = 0;       // rms(f - b) / rms(b)
  double bound = 0;      // What the type can lose of this tensor, as `rmse`.
  double gain = 0;       // The regression of f on b: sum(f b) / sum(b b)
  double scale = 0;      // The number that times f fits b best.
  double max_error = 0;  // The largest |f - b|.
  double cosine = 0;     // Of the angle between f and b.

  // The block with the largest error, in multiples of what it may be; its first
  // weight; the number of blocks with too large an error.
  double worst_block = 0;
  uint64_t worst_at = 0;
  uint64_t bad_blocks = 0;
  // The number of other blocks whose large error an importance matrix explains.
  uint64_t uneven_blocks = 0;
  uint64_t block_weights = 0;  // Weights in a block.

  // See MagnitudeSlope.  Empty if the type needs no slope, or the tensor has
  // too few groups.
  std::optional<double> slope;

  // Whether the type, and the size of the weights, show a change of scale.
  bool scale_judged = false;
  double scale_low = 0, scale_high = 0;  // If so, the limits of `scale`.

  // Returns the error in multiples of what it may be; it may be infinite.
  double Excess() const {
    if (rmse == 0) return worst_block;  // 0, unless the origin is zero.
    const double whole = rmse / bound;
    return std::isfinite(whole) ? std::max(whole, worst_block)
                                : std::numeric_limits<double>::infinity();
  }
};

// Of one file.
struct Comparison {
  const Origin* origin = nullptr;
  // By index in the file.  Empty if the origin has no data.
  std::vector<ComparedTensor> tensors;
};

struct CompareOptions {
  unsigned jobs = 1;  // Threads.
  // The weights that a thread takes at a time; a multiple of kMostBlock.
  uint64_t piece_weights = 1 << 20;

  // Called between pieces of work, by one thread at a time, with the number of
  // bytes of the file that were compared, and of all bytes.  May be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The work ends early when it returns true.  May be empty.
  std::function<bool()> stop;
};

// Returns the differences of the file's tensors from those of the origin, which
// is a GGUF model, by index.  Each piece of both files is read once, by several
// threads.  Memory does not grow with the files.  Returns nothing if `stop`
// ended it.
//
// `file` must be complete and its alignment known.
std::optional<std::vector<ComparedTensor>> CompareTensors(const File& file,
                                                          const Placement& placement,
                                                          const Origin& origin,
                                                          const CompareOptions& options);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_COMPARISON_H_
