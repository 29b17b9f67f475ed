// Types: of metadata values and of tensors, as the case language spells them.
//
// A table of its own on purpose: the corpus judges the parser, so it shares no
// fact with it.  Source: ggml.h and gguf.md.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_TYPES_H_
#define GGUF_CORPUS_LANGUAGE_TYPES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::corpus {

// A number of a fixed width.
struct ScalarType {
  const char* name;
  int bytes;
  bool is_float;
  int value_type;  // Its id in metadata; -1 for what stands in tensors only.
};

constexpr uint32_t kStringType = 8;
constexpr uint32_t kArrayType = 9;

// Null when there is none.
const ScalarType* FindScalar(absl::string_view name);
const ScalarType* FindScalar(uint32_t value_type);

// The type with this name: of a scalar, "str" or "arr".
std::optional<uint32_t> ValueTypeId(absl::string_view name);

struct TensorType {
  const char* name;
  uint32_t id;
  uint32_t block;  // Elements of a block, and its bytes.
  uint32_t bytes;
};

// Null for what was never there or has been removed.
const TensorType* FindTensorType(absl::string_view name);
const TensorType* FindTensorType(uint32_t id);

// Bytes of a tensor's data, rows rounded up to whole blocks.  None when the
// type is unknown or it would be 2^63 or more.
std::optional<uint64_t> DataBytes(uint32_t type,
                                  const std::vector<uint64_t>& dims);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_TYPES_H_
