// Where the tensors' data lies in the file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_PLACEMENT_H_
#define GGUF_CONFORMANCE_MODEL_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "parser/core/file.h"

namespace gguf {

// How one tensor lies.  Faults are judged in this order.
enum class Place : uint8_t {
  kSizeUnknown,  // Its type or shape is wrong.
  kMisaligned,   // The offset is no multiple of the alignment.
  kOutside,      // Partly or wholly behind the end of the file.
  kOverlapping,  // Shares bytes with another tensor.
  kGood,         // Shares bytes with no tensor inside the file.
};

struct Placement {
  // By tensor index.
  std::vector<Place> places;

  // Of tensors inside the file, misaligned and overlapping ones included: those
  // that occupy bytes, by where they begin.
  std::vector<uint32_t> by_begin;

  // Set for overlapping tensors, by position in `by_begin`: the tensor before,
  // in the file, with which they share bytes.
  struct Overlap {
    uint32_t tensor;
    uint32_t other;
  };
  std::vector<Overlap> overlaps;

  // Where the last tensor's data ends, counted from the start of the file.
  // Nothing when that cannot be said: a tensor is not kGood.
  std::optional<uint64_t> data_end;
};

// The most that an alignment may be before one doubts it.
constexpr uint64_t kMostPlausibleAlignment = 1 << 20;

// Whether the data of a tensor of known size lies inside the file.
bool IsInFile(const File& file, const TensorInfo& tensor);

// `file` is complete and its alignment is known.
Placement PlaceTensors(const File& file);

// The bytes of a tensor that is inside the file, from the start of the file.
Range DataRange(const File& file, const TensorInfo& tensor);

// Those of all tensors, by index.  Each is inside the file.
std::vector<Range> DataRanges(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_PLACEMENT_H_
