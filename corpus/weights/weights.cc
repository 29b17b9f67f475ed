// The blocks of each tensor type, one function for each: weight i of a block.
//
// Numbers are little endian; "nibble" is half a byte, the lower one first.
// Products and sums round after each operation, in the order written.
//
// Source: the dequantizers of ggml-quants.c, and ggml-common.h.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/weights/weights.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/base/casts.h"
#include "corpus/language/types.h"
#include "corpus/weights/code_books.h"

namespace gguf::corpus {
namespace {

// Returns `count` bits of the little-endian number at `at`, from `bit` on.
uint64_t Bits(const uint8_t* at, int bit, int count) {
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i) {
    const int place = bit + i;
    bits |= uint64_t{at[place / 8] >> (place % 8) & 1u} << i;
  }
  return bits;
}

int Signed8(uint8_t byte) { return static_cast<int8_t>(byte); }

float F32(const uint8_t* at) {
  return absl::bit_cast<float>(static_cast<uint32_t>(Bits(at, 0, 32)));
}

float Bf16(const uint8_t* at) {
  return absl::bit_cast<float>(static_cast<uint32_t>(Bits(at, 0, 16) << 16));
}

// Returns an f16 whose bits are given.  A NaN keeps its payload.
float HalfFromBits(uint32_t bits) {
  const uint32_t sign = bits >> 15 << 31;
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) {
    return absl::bit_cast<float>(sign | 0x7F800000 | mantissa << 13);
  }
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), -24)
                              : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return sign ? -magnitude : magnitude;
}

float F16(const uint8_t* at) { return HalfFromBits(Bits(at, 0, 16)); }

// Returns nibble i of groups of 2 n, which take n bytes each: the first n of a
// group are lower nibbles, the others upper ones.
int Nibble(const uint8_t* at, int i, int n) {
  return at[i / (2 * n) * n + i % n] >> (i / n % 2 * 4) & 15;
}

// Returns bit pair i of groups of 128, which take 32 bytes each: bits 0 and 1
// of all bytes, then bits 2 and 3, and so on.
int Pair(const uint8_t* at, int i) { return at[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3; }

// Plain numbers.

float WeightF32(const uint8_t* b, int) { return F32(b); }
float WeightF16(const uint8_t* b, int) { return F16(b); }
float WeightBF16(const uint8_t* b, int) { return Bf16(b); }
// A sign, an exponent of four bits and three of the fraction; the largest number
// is no infinity, and its neighbour is no number.
float WeightF8_E4M3(const uint8_t* b, int) {
  const int exponent = b[0] >> 3 & 15;
  const int fraction = b[0] & 7;
  const float sign = b[0] >= 128 ? -1.0f : 1.0f;
  if (exponent == 15 && fraction == 7) return std::numeric_limits<float>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(float(fraction), -9)
                               : std::ldexp(float(8 + fraction), exponent - 10));
}
float WeightF64(const uint8_t* b, int) {
  return static_cast<float>(absl::bit_cast<double>(Bits(b, 0, 64)));
}
template <class Integer>
float WeightInteger(const uint8_t* b, int) {
  return static_cast<float>(static_cast<Integer>(Bits(b, 0, 8 * sizeof(Integer))));
}

// 32 weights.

float WeightQ4_0(const uint8_t* b, int i) { return F16(b) * (Nibble(b + 2, i, 16) - 8); }
float WeightQ4_1(const uint8_t* b, int i) { return F16(b) * Nibble(b + 4, i, 16) + F16(b + 2); }
float WeightQ5_0(const uint8_t* b, int i) {
  const int high = static_cast<int>(Bits(b + 2, i, 1));
  return F16(b) * (Nibble(b + 6, i, 16) + 16 * high - 16);
}
float WeightQ5_1(const uint8_t* b, int i) {
  const int high = static_cast<int>(Bits(b + 4, i, 1));
  return F16(b) * (Nibble(b + 8, i, 16) + 16 * high) + F16(b + 2);
}
float WeightQ8_0(const uint8_t* b, int i) { return F16(b) * Signed8(b[2 + i]); }
float WeightQ8_1(const uint8_t* b, int i) { return F16(b) * Signed8(b[4 + i]); }

// 256 weights, in groups with a scale of their own.

float WeightQ2_K(const uint8_t* b, int i) {
  const int packed = b[i / 16];
  const float scale = F16(b + 80) * (packed & 15);
  const float offset = F16(b + 82) * (packed >> 4);
  return scale * Pair(b + 16, i) - offset;
}

float WeightQ3_K(const uint8_t* b, int i) {
  const int g = i / 16;
  const uint8_t* const scales = b + 96;
  const int scale = Nibble(scales, g, 8) | static_cast<int>(Bits(scales + 8 + g % 4, g / 4 * 2, 2))
                                               << 4;
  const int quant = Pair(b + 32, i) | (b[i % 32] >> (i / 32) & 1) << 2;
  return F16(b + 108) * (scale - 32) * (quant - 4);
}

// Number g (0: scales, 1: offsets) of Q4_K and Q5_K, 6 bits: the first four
// are the lower bits of 4 bytes each; the upper bits of these complete the
// nibbles of the last 4 bytes.
int SixBits(const uint8_t* packed, int g, int which) {
  const uint8_t* const first = packed + 4 * which;
  if (g < 4) return first[g] & 63;
  return (packed[8 + g - 4] >> (4 * which) & 15) | first[g - 4] >> 6 << 4;
}

float WeightQ45_K(const uint8_t* b, int i, int quant) {
  const float scale = F16(b) * SixBits(b + 4, i / 32, 0);
  const float offset = F16(b + 2) * SixBits(b + 4, i / 32, 1);
  return scale * quant - offset;
}
float WeightQ4_K(const uint8_t* b, int i) { return WeightQ45_K(b, i, Nibble(b + 16, i, 32)); }
float WeightQ5_K(const uint8_t* b, int i) {
  const int high = b[16 + i % 32] >> (i / 32) & 1;
  return WeightQ45_K(b, i, Nibble(b + 48, i, 32) | high << 4);
}

float WeightQ6_K(const uint8_t* b, int i) {
  const int quant = Nibble(b, i, 64) | Pair(b + 128, i) << 4;
  return F16(b + 208) * Signed8(b[192 + i / 16]) * (quant - 32);
}

float WeightQ8_K(const uint8_t* b, int i) { return F32(b) * Signed8(b[4 + i]); }

// Entries of code books.

// Returns the sign of weight j of 8, of which 7 sign bits are stored: the
// number of minus signs is even.
int EvenSign(uint64_t seven_bits, int j) {
  bool minus = __builtin_parityll(seven_bits & 127) != 0;
  if (j < 7) minus = (seven_bits >> j & 1) != 0;
  return minus ? -1 : 1;
}

float WeightIQ1_S(const uint8_t* b, int i) {
  const int k = i / 8;  // The index of a group of 8.
  const uint8_t* const qh = b + 34 + i / 32 * 2;
  const int entry = b[2 + k] | static_cast<int>(Bits(qh, k % 4 * 3, 3)) << 8;
  const float scale = F16(b) * (2 * static_cast<int>(Bits(qh, 12, 3)) + 1);
  const float shift = Bits(qh, 15, 1) ? -0.125f : 0.125f;
  return scale * (kIq1Book.At(entry, i % 8) + shift);
}

float WeightIQ1_M(const uint8_t* b, int i) {
  const int k = i / 8;
  const int high = static_cast<int>(Bits(b + 32, 4 * k, 4));
  const uint8_t* const scales = b + 48;
  uint32_t d = 0;
  for (int part = 0; part < 4; ++part) {
    d |= Bits(scales + 2 * part, 12, 4) << (4 * part);
  }
  const int group = i / 16;
  const int s = static_cast<int>(Bits(scales + group / 4 * 2, group % 4 * 3, 3));
  const float shift = high & 8 ? -0.125f : 0.125f;
  return HalfFromBits(d) * (2 * s + 1) * (kIq1Book.At(b[k] | (high & 7) << 8, i % 8) + shift);
}

float WeightIQ2_XXS(const uint8_t* b, int i) {
  const uint8_t* const group = b + 2 + i / 32 * 8;
  const int k = i % 32 / 8;
  const float scale = F16(b) * (0.5f + Bits(group + 4, 28, 4)) * 0.25f;
  return scale * (kIq2XxsBook.At(group[k], i % 8) * EvenSign(Bits(group + 4, 7 * k, 7), i % 8));
}

float WeightIQ2_XS(const uint8_t* b, int i) {
  const uint8_t* const q = b + 2 + i / 8 * 2;
  const float scale = F16(b) * (0.5f + Bits(b + 66, i / 16 * 4, 4)) * 0.25f;
  return scale *
         (kIq2XsBook.At(static_cast<int>(Bits(q, 0, 9)), i % 8) * EvenSign(Bits(q, 9, 7), i % 8));
}

float WeightIQ2_S(const uint8_t* b, int i) {
  const int k = i / 8;
  const int entry = b[2 + k] | static_cast<int>(Bits(b + 66, 2 * k, 2)) << 8;
  const int sign = Bits(b + 34, i, 1) ? -1 : 1;
  const float scale = F16(b) * (0.5f + Bits(b + 74, i / 16 * 4, 4)) * 0.25f;
  return scale * (kIq2SBook.At(entry, i % 8) * sign);
}

float WeightIQ3_XXS(const uint8_t* b, int i) {
  const uint8_t* const aux = b + 66 + i / 32 * 4;
  const float scale = F16(b) * (0.5f + Bits(aux, 28, 4)) * 0.5f;
  return scale *
         (kIq3XxsBook.At(b[2 + i / 4], i % 4) * EvenSign(Bits(aux, i % 32 / 8 * 7, 7), i % 8));
}

float WeightIQ3_S(const uint8_t* b, int i) {
  const int entry = b[2 + i / 4] | static_cast<int>(Bits(b + 66, i / 4, 1)) << 8;
  const int sign = Bits(b + 74, i, 1) ? -1 : 1;
  const int s = static_cast<int>(Bits(b + 106, i / 32 * 4, 4));
  return F16(b) * (2 * s + 1) * (kIq3SBook.At(entry, i % 4) * sign);
}

// The values of a nibble of IQ4_NL and IQ4_XS.
constexpr int kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                1,    13,   25,  38,  53,  69,  89,  113};

float WeightIQ4_NL(const uint8_t* b, int i) { return F16(b) * kIq4Values[Nibble(b + 2, i, 16)]; }
float WeightIQ4_XS(const uint8_t* b, int i) {
  const int g = i / 32;
  const int scale = static_cast<int>(Bits(b + 4, 4 * g, 4) | Bits(b + 2, 2 * g, 2) << 4);
  return F16(b) * (scale - 32) * kIq4Values[Nibble(b + 8, i, 16)];
}

// Two, three or four values, and 4-bit floats.

// Digit k, from 0, of a byte that holds five base-3 digits as a fraction.
int Trit(uint8_t byte, int k) {
  for (; k > 0; --k) byte = static_cast<uint8_t>(byte * 3);
  return byte * 3 >> 8;
}

float WeightTQ1_0(const uint8_t* b, int i) {
  const int trit = i < 160   ? Trit(b[i % 32], i / 32)
                   : i < 240 ? Trit(b[32 + i % 16], (i - 160) / 16)
                             : Trit(b[48 + i % 4], (i - 240) / 4);
  return F16(b + 52) * (trit - 1);
}
float WeightTQ2_0(const uint8_t* b, int i) { return F16(b + 64) * (Pair(b, i) - 1); }
float WeightQ1_0(const uint8_t* b, int i) { return F16(b) * (Bits(b + 2, i, 1) ? 1 : -1); }
float WeightQ2_0(const uint8_t* b, int i) {
  return F16(b) * (static_cast<int>(Bits(b + 2, 2 * i, 2)) - 1);
}

// E2M1: sign, two bits of exponent, one of mantissa.  Minus zero is zero.
double E2M1(int nibble) {
  constexpr double kMagnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const double magnitude = kMagnitudes[nibble & 7];
  return nibble > 8 ? -magnitude : magnitude;
}
float WeightMXFP4(const uint8_t* b, int i) {
  return static_cast<float>(std::ldexp(E2M1(Nibble(b + 1, i, 16)), b[0] - 127));
}
// The scale is UE4M3: four bits of exponent, three of mantissa.  The sign is
// ignored, and 127 is zero.
float WeightNVFP4(const uint8_t* b, int i) {
  const int bits = b[i / 16], exponent = bits >> 3 & 15, mantissa = bits & 7;
  const double scale = bits == 127     ? 0
                       : exponent == 0 ? std::ldexp(mantissa, -9)
                                       : std::ldexp(8 + mantissa, exponent - 10);
  return static_cast<float>(scale * E2M1(Nibble(b + 4, i, 8)));
}

struct Definition {
  const char* type;
  float (*weight)(const uint8_t* block, int i);
};
constexpr Definition kDefinitions[] = {
    {"F32", WeightF32},
    {"F16", WeightF16},
    {"Q4_0", WeightQ4_0},
    {"Q4_1", WeightQ4_1},
    {"Q5_0", WeightQ5_0},
    {"Q5_1", WeightQ5_1},
    {"Q8_0", WeightQ8_0},
    {"Q8_1", WeightQ8_1},
    {"Q2_K", WeightQ2_K},
    {"Q3_K", WeightQ3_K},
    {"Q4_K", WeightQ4_K},
    {"Q5_K", WeightQ5_K},
    {"Q6_K", WeightQ6_K},
    {"Q8_K", WeightQ8_K},
    {"IQ2_XXS", WeightIQ2_XXS},
    {"IQ2_XS", WeightIQ2_XS},
    {"IQ3_XXS", WeightIQ3_XXS},
    {"IQ1_S", WeightIQ1_S},
    {"IQ4_NL", WeightIQ4_NL},
    {"IQ3_S", WeightIQ3_S},
    {"IQ2_S", WeightIQ2_S},
    {"IQ4_XS", WeightIQ4_XS},
    {"I8", WeightInteger<int8_t>},
    {"I16", WeightInteger<int16_t>},
    {"I32", WeightInteger<int32_t>},
    {"I64", WeightInteger<int64_t>},
    {"F64", WeightF64},
    {"IQ1_M", WeightIQ1_M},
    {"BF16", WeightBF16},
    {"TQ1_0", WeightTQ1_0},
    {"TQ2_0", WeightTQ2_0},
    {"MXFP4", WeightMXFP4},
    {"NVFP4", WeightNVFP4},
    {"Q1_0", WeightQ1_0},
    {"Q2_0", WeightQ2_0},
    {"F8_E4M3", WeightF8_E4M3},
};

const Definition* FindDefinition(absl::string_view type) {
  for (const Definition& definition : kDefinitions) {
    if (definition.type == type) return &definition;
  }
  return nullptr;
}

}  // namespace

std::optional<std::vector<float>> WeightsOf(uint32_t type, absl::string_view blocks) {
  const TensorType* const info = FindTensorType(type);
  if (info == nullptr || blocks.size() % info->bytes != 0) return std::nullopt;
  const Definition* const definition = FindDefinition(info->name);
  if (definition == nullptr) return std::nullopt;
  std::vector<float> weights;
  weights.reserve(blocks.size() / info->bytes * info->block);
  for (size_t at = 0; at < blocks.size(); at += info->bytes) {
    const auto* const block = reinterpret_cast<const uint8_t*>(blocks.data()) + at;
    for (uint32_t i = 0; i < info->block; ++i) {
      weights.push_back(definition->weight(block, static_cast<int>(i)));
    }
  }
  return weights;
}

}  // namespace gguf::corpus
