// Converts the small float formats of tensor data to float, bit for bit.
//
// Every value of each format is exactly representable as float, so nothing is
// rounded.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_FLOAT_FORMATS_H_
#define GGUF_KERNELS_FLOAT_FORMATS_H_

#include <cstdint>

#include "conformance/base/bytes.h"

namespace gguf {

// f16, IEEE 754 binary16: sign, 5 exponent bits (bias 15), 10 of mantissa.
// Subnormals, infinities and NaN included; a NaN keeps its payload.
inline float F16ToFloat(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7FFFu;

  // Exponent 1..30: the same number with bias 127.  Exponent 31: 255 instead.
  const uint32_t rebias = 112u << 23;
  const uint32_t normal = (magnitude << 13) + rebias;
  const uint32_t special = normal + rebias;

  // Exponent 0: magnitude * 2^-24, which is the unit in the last place of 0.5.
  const float above_half = FloatFromBits((126u << 23) | magnitude) - 0.5f;
  uint32_t subnormal;
  std::memcpy(&subnormal, &above_half, sizeof subnormal);

  uint32_t bits = magnitude >= 0x7C00 ? special : normal;
  bits = magnitude < 0x0400 ? subnormal : bits;
  return FloatFromBits(bits | sign);
}

// bf16: the upper half of a float.
inline float Bf16ToFloat(uint16_t half) { return FloatFromBits(static_cast<uint32_t>(half) << 16); }

// Half of an E8M0 scale: 2^(exponent - 128).  Halves, because MXFP4's values
// are stored doubled (E2M1Doubled).  The two lowest are subnormal floats. OCP's
// NaN, 255, is read as 2^127, as in ggml.
inline float E8M0HalfToFloat(uint8_t exponent) {
  const uint32_t subnormal = 0x00200000u << (exponent & 1);
  const uint32_t normal = (exponent - 1u) << 23;
  return FloatFromBits(exponent < 2 ? subnormal : normal);
}

// Half of a UE4M3 scale: 4 exponent bits (bias 7), 3 of mantissa; the sign bit
// is ignored.  Halves, as for E8M0.  127, NaN elsewhere, is read as zero, as in
// ggml (and 255, its signed twin, as 480).
inline float Ue4m3HalfToFloat(uint8_t scale) {
  const uint32_t magnitude = scale & 0x7Fu;

  // Exponent 0: mantissa * 2^-9, halved.  Else the same number with bias 127.
  const float subnormal = static_cast<float>(magnitude) * 0x1p-10f;
  const float normal = FloatFromBits((magnitude << 20) + ((120u - 1u) << 23));
  const float value = magnitude < 8 ? subnormal : normal;
  return scale == 0x7F ? 0.0f : value;
}

// E4M3 (OCP's E4M3FN): sign, 4 exponent bits (bias 7), 3 of mantissa.  There are
// no infinities; 0x7F and 0xFF are NaN.
inline float E4m3ToFloat(uint8_t number) {
  const uint32_t sign = (number & 0x80u) << 24;
  const uint32_t magnitude = number & 0x7Fu;
  const uint32_t normal = (magnitude << 20) + (120u << 23);
  const uint32_t special = 0x7FC00000u;
  // Exponent 0: mantissa * 2^-9, which is the unit in the last place of 2^14.
  const float above = FloatFromBits((141u << 23) | magnitude) - 0x1p14f;
  uint32_t subnormal;
  std::memcpy(&subnormal, &above, sizeof subnormal);
  uint32_t bits = magnitude == 0x7F ? special : normal;
  bits = magnitude < 8 ? subnormal : bits;
  return FloatFromBits(bits | sign);
}

// Twice an E2M1 number, which makes it an integer: sign, 2 exponent bits (bias
// 1), 1 of mantissa.  Minus zero loses its sign, as in ggml.
constexpr int8_t kE2M1Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// Loads a little-endian f16 at `bytes`.
inline float LoadF16(const uint8_t* bytes) {
  return F16ToFloat(LoadUnsigned<uint16_t>(bytes, Endian::kLittle));
}

}  // namespace gguf

#endif  // GGUF_KERNELS_FLOAT_FORMATS_H_
