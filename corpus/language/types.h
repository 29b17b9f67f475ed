// Types: of metadata values and of tensors, as the case language spells them.
//
// A separate table on purpose: the corpus judges the parser, so the two share
// no data.  Source: ggml.h and gguf.md.
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
  int value_type;  // Its id in metadata; -1 for types of tensors only.
};

constexpr uint32_t kStringType = 8;
constexpr uint32_t kArrayType = 9;

// Returns null if there is none.
const ScalarType* FindScalar(absl::string_view name);
const ScalarType* FindScalar(uint32_t value_type);

// Returns the type with this name: a scalar type, "str" or "arr".
std::optional<uint32_t> ValueTypeId(absl::string_view name);

struct TensorType {
  const char* name;
  uint32_t id;
  uint32_t block;  // Elements and bytes of a block.
  uint32_t bytes;
};

// Returns null for ids that never existed or were removed.
const TensorType* FindTensorType(absl::string_view name);
const TensorType* FindTensorType(uint32_t id);

// Returns the size of a tensor's data in bytes, with rows rounded up to whole
// blocks.  Returns nothing if the type is unknown or the size is 2^63 or more.
std::optional<uint64_t> DataBytes(uint32_t type, const std::vector<uint64_t>& dims);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_TYPES_H_
