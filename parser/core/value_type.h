// The types of metadata values (gguf_metadata_value_type).
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_VALUE_TYPE_H_
#define GGUF_PARSER_CORE_VALUE_TYPE_H_

#include <cstdint>

namespace gguf {

enum class ValueType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,  // Version 2 and later, as are the next two.
  kI64 = 11,
  kF64 = 12,
};

enum class ValueKind { kUnsigned, kSigned, kFloat, kBool, kString, kArray };

struct ValueTypeInfo {
  ValueType type;
  const char* name;  // As spelled in dumps and messages.
  uint32_t size;     // Bytes of a value; 0 if values vary in size.
  ValueKind kind;
  uint32_t first_version;  // The first GGUF version with it.
};

// Returns the type with this id; null if `version` does not have it.
const ValueTypeInfo* FindValueType(uint32_t id, uint32_t version);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_VALUE_TYPE_H_
