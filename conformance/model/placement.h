// Placement: the positions of the tensors' data in the file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_PLACEMENT_H_
#define GGUF_CONFORMANCE_MODEL_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "parser/core/file.h"

namespace gguf {

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

// Returns the bytes of all tensors, by index.  Each must be inside the file.
std::vector<Range> DataRanges(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_PLACEMENT_H_
