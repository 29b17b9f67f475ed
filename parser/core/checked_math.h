// Checked arithmetic on numbers from a file: nothing wraps.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_CHECKED_MATH_H_
#define GGUF_PARSER_CORE_CHECKED_MATH_H_

#include <cstdint>
#include <optional>

namespace gguf {

// Returns a + b, or nothing if it does not fit into 64 bits.
inline std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

// Returns a * b, or nothing if it does not fit into 64 bits.
inline std::optional<uint64_t> CheckedMultiply(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Returns the smallest multiple of `unit` that is at least `value`, or nothing
// if it does not fit into 64 bits.  `unit` is not zero.
inline std::optional<uint64_t> CheckedAlignUp(uint64_t value, uint64_t unit) {
  const uint64_t beyond = value % unit;
  if (beyond == 0) return value;
  return CheckedAdd(value, unit - beyond);
}

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_CHECKED_MATH_H_
