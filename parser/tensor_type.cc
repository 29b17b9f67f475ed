// Looks up tensor types by the ids in files.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/tensor_type.h"

namespace gguf {

const TensorTypeInfo* FindTensorType(uint32_t id) {
  return id < kGgufTensorTypes ? &kTensorTypes[id] : nullptr;
}

const TensorTypeInfo* FindTensorType(uint32_t id, TypeScheme scheme) {
  if (scheme == TypeScheme::kGguf || scheme == TypeScheme::kCurrent) {
    const TensorTypeInfo* const info = FindTensorType(id);
    const bool is_left_out =
        scheme == TypeScheme::kCurrent && info != nullptr && info->removed != nullptr;
    return is_left_out ? nullptr : info;
  }
  const int column = static_cast<int>(scheme) - static_cast<int>(TypeScheme::kQnt0);
  for (const TensorTypeInfo& info : kTensorTypes) {
    if (info.legacy_ids[column] == static_cast<int64_t>(id)) return &info;
  }
  return nullptr;
}

const TensorTypeInfo& GetTensorType(TensorType type) {
  constexpr auto kFirstOld = static_cast<uint32_t>(TensorType::kFirstOld);
  const auto id = static_cast<uint32_t>(type);
  return kTensorTypes[id < kFirstOld ? id : id - kFirstOld + kGgufTensorTypes];
}

}  // namespace gguf
