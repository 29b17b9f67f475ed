// TQ1_0 TQ2_0 Q1_0 Q2_0: one scale for the whole block, and quants with two,
// three or four values.
//
// Fields are little endian; bits are counted from the lowest.  __restrict is
// used where it helps gcc.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

// Five base-3 digits in a byte, as a fraction: byte / 256 = 0.abcde in base 3.
// Multiplying by three moves a digit in front of the point; the rest, modulo
// 256, is the byte of the digits that follow.
//
// Writes the first `digits` digits, minus one and times `d`, of each of `n`
// bytes: the first digits of all bytes, then the second digits, and so on.
template <int n, int digits>
void Trits(float d, const uint8_t* bytes, float* __restrict weights) {
  uint8_t power = 1;  // 3^digit
  for (int digit = 0; digit < digits; ++digit) {
    for (int i = 0; i < n; ++i) {
      const uint8_t rest = bytes[i] * power;
      const int16_t trit = (static_cast<uint16_t>(rest) * 3) >> 8;
      weights[digit * n + i] = d * (trit - 1);
    }
    power *= 3;
  }
}

// TQ1_0: 256 weights in 54 bytes.
//
//   byte   0  qs   48 bytes of five base-3 digits (Trits): 160 weights from the
//                  first 32 bytes, 80 from the other 16
//   byte  48  qh   4 bytes of four, for the last 16 weights
//   byte  52  d    f16, the block's scale
//
//   weight = d * (digit - 1)
void DequantizeTQ1_0(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block + 52);
  Trits<32, 5>(d, block, weights);
  Trits<16, 5>(d, block + 32, weights + 160);
  Trits<4, 4>(d, block + 48, weights + 240);
}

// TQ2_0: 256 weights in 66 bytes.
//
//   byte   0  qs   64 bytes of four 2-bit quants; 128 weights from 32 bytes, of
//                  which weights 0..31 take bits 0 and 1, 32..63 bits 2
//                  and 3...
//   byte  64  d    f16, the block's scale
//
//   weight = d * (quant - 1)
void DequantizeTQ2_0(const uint8_t* block, float* weights) {
  const float d = LoadF16(block + 64);
  for (int row = 0; row < 8; ++row) {
    const uint8_t* const qs = block + 32 * (row / 4);
    const int shift = row % 4 * 2;
    for (int i = 0; i < 32; ++i) {
      weights[32 * row + i] = d * (((qs[i] >> shift) & 3) - 1);
    }
  }
}

// Q1_0: 128 weights in 18 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   16 bytes; bit i % 8 of byte i / 8 is weight i's
//
//   weight = bit ? d : -d
void DequantizeQ1_0(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block);
  const uint8_t* const qs = block + 2;
  for (int i = 0; i < 16; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      weights[8 * i + bit] = d * (((qs[i] >> bit) & 1) * 2 - 1);
    }
  }
}

// Q2_0: 64 weights in 18 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   16 bytes of four 2-bit quants, lowest bits first
//
//   weight = d * (quant - 1)
void DequantizeQ2_0(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block);
  const uint8_t* const qs = block + 2;
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 4; ++k) {
      weights[4 * i + k] = d * (((qs[i] >> (2 * k)) & 3) - 1);
    }
  }
}

constexpr Kernel kLowBitQuants[] = {
    Reference<TensorType::kTQ1_0, DequantizeTQ1_0>(),
    Reference<TensorType::kTQ2_0, DequantizeTQ2_0>(),
    Reference<TensorType::kQ1_0, DequantizeQ1_0>(),
    Reference<TensorType::kQ2_0, DequantizeQ2_0>(),
};

}  // namespace

absl::Span<const Kernel> LowBitQuants() { return kLowBitQuants; }

}  // namespace gguf
