// The tensor element types (ggml_type): block sizes and which ids are alive.
//
// Source: the enumeration of the GGUF specification, and ggml's for the ids
// that are newer than it (40..42).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_TENSOR_TYPE_H_
#define GGUF_PARSER_TENSOR_TYPE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

enum class TensorType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ8_1 = 9,
  kQ2_K = 10,
  kQ3_K = 11,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kQ8_K = 15,
  kIQ2_XXS = 16,
  kIQ2_XS = 17,
  kIQ3_XXS = 18,
  kIQ1_S = 19,
  kIQ4_NL = 20,
  kIQ3_S = 21,
  kIQ2_S = 22,
  kIQ4_XS = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kIQ1_M = 29,
  kBF16 = 30,
  kTQ1_0 = 34,
  kTQ2_0 = 35,
  kMXFP4 = 39,
  kNVFP4 = 40,
  kQ1_0 = 41,
  kQ2_0 = 42,
};

struct TensorTypeInfo {
  uint32_t id;
  const char* name;
  uint32_t block_elements;  // Elements in one block; 1 for plain types.
  uint32_t block_bytes;     // Bytes of one block.
  bool quantized;
  const char* removed;  // The date it left the format, or null.
  bool in_spec;         // The written specification lists it as alive.
};

// The type with this id, removed ones included; null when there is none.
const TensorTypeInfo* FindTensorType(uint32_t id);

inline const TensorTypeInfo& GetTensorType(TensorType type) {
  return *FindTensorType(static_cast<uint32_t>(type));
}

// Every id ever given out, in order: the id is the index.
absl::Span<const TensorTypeInfo> AllTensorTypes();

}  // namespace gguf

#endif  // GGUF_PARSER_TENSOR_TYPE_H_
