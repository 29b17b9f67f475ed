// Finds odd tensors, and counts parameters and types.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_table.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

bool IsPlainName(absl::string_view name) {
  constexpr size_t kMost = 63;
  if (name.empty() || name.size() > kMost) return false;
  char last = 0;
  for (const char c : name) {
    if (!absl::ascii_isprint(c) || (c == '.' && last == '.')) return false;
    last = c;
  }
  return true;
}

bool IsPlainShape(const TensorInfo& tensor) {
  const TensorTypeInfo* type = tensor.type_info();
  const auto end = tensor.dims.begin() + tensor.rank();
  return tensor.n_dims.value >= 1 && tensor.n_dims.value <= kMaxDimensions &&
         std::find(tensor.dims.begin(), end, 0) == end && type != nullptr &&
         type->removed == nullptr && type->in_spec && tensor.bytes.has_value();
}

}  // namespace

UnusualTensors FindUnusualTensors(const File& file) {
  UnusualTensors odd;
  for (const TensorInfo& tensor : file.tensors) {
    PollDeadline();
    if (!IsPlainName(tensor.name.value) || !IsPlainShape(tensor) ||
        tensor.offset.value % file.alignment != 0) {
      odd.emplace_back(tensor);
    }
  }
  return odd;
}

// Counts tensors.

namespace {

struct Share {
  uint64_t tensors = 0;
  absl::uint128 elements = 0;

  void Add(uint64_t count) {
    ++tensors;
    elements += count;
  }
  // Returns whether this is more than half of `all`.
  bool IsMostOf(const Share& all) const {
    return tensors > all.tensors / 2 && elements > all.elements / 2;
  }
};

// Returns the smallest block among the types; 0 if none of them is supported.
uint32_t SmallestBlock(uint64_t types) {
  uint32_t smallest = 0;
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if ((types >> type.id & 1) == 0 || type.removed != nullptr) continue;
    if (smallest == 0 || type.block_elements < smallest) {
      smallest = type.block_elements;
    }
  }
  return smallest;
}

// Returns whether one of the types is not a plain float.  `types` has a bit for
// each id of a tensor type.
bool IsQuantized(uint64_t types) {
  return absl::c_any_of(AllTensorTypes(), [&](const TensorTypeInfo& type) {
    const bool is_float = !type.quantized && type.scales.format != ScaleFormat::kNone;
    return (types >> type.id & 1) != 0 && !is_float;
  });
}

}  // namespace

std::optional<uint64_t> CountParameters(const TensorTable& tensors) {
  std::optional<uint64_t> sum = 0;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const auto count = ElementCount(tensors[i]);
    if (!count) return std::nullopt;
    sum = CheckedAdd(*sum, *count);
    if (!sum) return std::nullopt;
  }
  return sum;
}

Majority MostTensors(const TensorTable& tensors, uint64_t types) {
  constexpr uint64_t kSmallestRow = 32;  // Quantizers leave others as floats.
  Majority majority;
  const uint32_t block = SmallestBlock(types);
  if (block == 0) return majority;
  const auto all = AllTensorTypes();
  std::vector<Share> shares(all.size());
  // All matrices; those with rows that could be quantized, and of these, those
  // of the other kind, quantized or not.
  Share matrices, quantizable, others, counted;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    const auto count = ElementCount(tensor);
    const bool is_matrix = tensor.rank() >= 2 && tensor.dims[1] > 1;
    if (!count || !is_matrix || tensor.type_info() == nullptr) continue;
    matrices.Add(*count);
    if (tensor.dims[0] % kSmallestRow == 0) {
      quantizable.Add(*count);
      const uint64_t type = uint64_t{1} << tensor.type.value;
      if (IsQuantized(type) != IsQuantized(types)) others.Add(*count);
    }
    if (tensor.dims[0] % block != 0) continue;
    shares[tensor.type.value].Add(*count);
    counted.Add(*count);
  }
  if (counted.tensors == 0) return majority;
  majority.of = counted.tensors;
  majority.is_of_most_elements = counted.elements >= matrices.elements - counted.elements;
  majority.is_other_kind = others.IsMostOf(quantizable);
  const auto most = [&](auto Share::*what) {
    const auto less = [&](const Share& a, const Share& b) { return a.*what < b.*what; };
    return absl::c_max_element(shares, less) - shares.begin();
  };
  const size_t by_tensors = most(&Share::tensors);
  const size_t by_elements = most(&Share::elements);
  majority.type = &all[by_tensors];
  majority.tensors = shares[by_tensors].tensors;
  for (size_t id = 0; id < shares.size(); ++id) {
    if ((types >> id & 1) == 0) continue;
    majority.asked += shares[id].tensors;
    majority.as_asked |= shares[id].tensors == majority.tensors ||
                         shares[id].elements == shares[by_elements].elements;
  }
  return majority;
}

}  // namespace gguf
