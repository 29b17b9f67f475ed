// Loads unsigned integers and floats of either endianness.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_BYTE_ORDER_H_
#define GGUF_PARSER_CORE_BYTE_ORDER_H_

#include <cstdint>
#include <cstring>

namespace gguf {

enum class Endian { kLittle, kBig };

constexpr Endian kHostEndian =
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? Endian::kBig : Endian::kLittle;

// Reads sizeof(T) bytes at `bytes`, which need not be aligned.
template <class T>
T LoadUnsigned(const uint8_t* bytes, Endian endian) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if (endian == kHostEndian) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  return value;
}

// Reads `size` bytes; `size` is 1, 2, 4 or 8.
inline uint64_t LoadUnsignedOfSize(const uint8_t* bytes, uint32_t size, Endian endian) {
  switch (size) {
    case 1:
      return *bytes;
    case 2:
      return LoadUnsigned<uint16_t>(bytes, endian);
    case 4:
      return LoadUnsigned<uint32_t>(bytes, endian);
    default:
      return LoadUnsigned<uint64_t>(bytes, endian);
  }
}

inline float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline double DoubleFromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_BYTE_ORDER_H_
