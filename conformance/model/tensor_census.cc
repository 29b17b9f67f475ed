// Counts tensors.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_census.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/numeric/int128.h"
#include "parser/core/checked_math.h"
#include "parser/core/tensor_size.h"
#include "parser/core/tensor_type.h"

namespace gguf {
namespace {

struct Share {
  uint64_t tensors = 0;
  absl::uint128 elements = 0;
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
  Majority majority;
  const uint32_t block = SmallestBlock(types);
  if (block == 0) return majority;
  const auto all = AllTensorTypes();
  std::vector<Share> shares(all.size());
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = tensors[i];
    const auto count = ElementCount(tensor);
    const bool is_matrix = tensor.rank() >= 2 && tensor.dims[1] > 1;
    if (!count || !is_matrix || tensor.dims[0] % block != 0) continue;
    if (tensor.type_info() == nullptr) continue;
    Share& share = shares[tensor.type.value];
    ++share.tensors;
    share.elements += *count;
    ++majority.of;
  }
  if (majority.of == 0) return majority;
  const auto most = [&](auto Share::*what) {
    const auto less = [&](const Share& a, const Share& b) {
      return a.*what < b.*what;
    };
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
