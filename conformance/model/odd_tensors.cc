// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/odd_tensors.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "parser/core/deadline.h"

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

OddTensors FindOddTensors(const File& file) {
  OddTensors odd;
  for (const TensorInfo& tensor : file.tensors) {
    PollDeadline();
    if (!IsPlainName(tensor.name.value) || !IsPlainShape(tensor) ||
        tensor.offset.value % file.alignment != 0) {
      odd.emplace_back(tensor);
    }
  }
  return odd;
}

}  // namespace gguf
