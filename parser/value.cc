// The table of value types.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/value.h"

#include <iterator>

namespace gguf {
namespace {

constexpr ValueTypeInfo kTypes[] = {
    {ValueType::kU8, "u8", 1, ValueKind::kUnsigned, 1},
    {ValueType::kI8, "i8", 1, ValueKind::kSigned, 1},
    {ValueType::kU16, "u16", 2, ValueKind::kUnsigned, 1},
    {ValueType::kI16, "i16", 2, ValueKind::kSigned, 1},
    {ValueType::kU32, "u32", 4, ValueKind::kUnsigned, 1},
    {ValueType::kI32, "i32", 4, ValueKind::kSigned, 1},
    {ValueType::kF32, "f32", 4, ValueKind::kFloat, 1},
    {ValueType::kBool, "bool", 1, ValueKind::kBool, 1},
    {ValueType::kString, "str", 0, ValueKind::kString, 1},
    {ValueType::kArray, "arr", 0, ValueKind::kArray, 1},
    {ValueType::kU64, "u64", 8, ValueKind::kUnsigned, 2},
    {ValueType::kI64, "i64", 8, ValueKind::kSigned, 2},
    {ValueType::kF64, "f64", 8, ValueKind::kFloat, 2},
};

constexpr bool TheIdIsTheIndex() {
  for (uint32_t i = 0; i < std::size(kTypes); ++i) {
    if (static_cast<uint32_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(TheIdIsTheIndex(), "FindValueType looks up by index");

}  // namespace

const ValueTypeInfo* FindValueType(uint32_t id, uint32_t version) {
  if (id >= std::size(kTypes)) return nullptr;
  return kTypes[id].first_version <= version ? &kTypes[id] : nullptr;
}

}  // namespace gguf
