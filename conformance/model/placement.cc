// Computes placements in one sweep over the tensors in the order of their data.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/placement.h"

#include <algorithm>

#include "parser/core/checked_math.h"

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

}  // namespace gguf
