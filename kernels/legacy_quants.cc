// Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1: 32 weights that share a scale, and in the "_1"
// types an offset.
//
// Fields are little endian.  "lo" and "hi" are the four lower and upper bits of
// a byte.  __restrict is used where it helps gcc.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

// Q4_0: 32 weights in 18 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   16 bytes of two quants
//
//   weight[i]      = d * (lo(qs[i]) - 8)      i < 16
//   weight[i + 16] = d * (hi(qs[i]) - 8)
void DequantizeQ4_0(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block);
  const uint8_t* const qs = block + 2;
  for (int i = 0; i < 16; ++i) weights[i] = d * ((qs[i] & 15) - 8);
  for (int i = 0; i < 16; ++i) weights[i + 16] = d * ((qs[i] >> 4) - 8);
}

// Q4_1: 32 weights in 20 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  m    f16, the block's offset
//   byte   4  qs   16 bytes of two quants
//
//   weight[i]      = d * lo(qs[i]) + m        i < 16
//   weight[i + 16] = d * hi(qs[i]) + m
void DequantizeQ4_1(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block);
  const float m = LoadF16(block + 2);
  const uint8_t* const qs = block + 4;
  for (int i = 0; i < 16; ++i) weights[i] = d * (qs[i] & 15) + m;
  for (int i = 0; i < 16; ++i) weights[i + 16] = d * (qs[i] >> 4) + m;
}

// Bit `i` of half the `qh` of a Q5 block, worth 16.  A table of masks is faster
// to vectorize than shifts.
constexpr uint16_t kBit[16] = {1,     2,     4,     8,     0x10,   0x20,   0x40,   0x80,
                               0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000};

int HighBit(uint16_t half, int i) { return (half & kBit[i]) != 0 ? 16 : 0; }

// Q5_0: 32 weights in 22 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qh   u32, bit i is bit 4 of quant i
//   byte   6  qs   16 bytes, bits 0..3 of two quants
//
//   quant[i]      = lo(qs[i]) + 16 * bit i of qh         i < 16
//   quant[i + 16] = hi(qs[i]) + 16 * bit i + 16 of qh
//   weight[i]     = d * (quant[i] - 16)
void DequantizeQ5_0(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const uint32_t qh = LoadUnsigned<uint32_t>(block + 2, Endian::kLittle);
  const uint16_t low = static_cast<uint16_t>(qh);
  const uint16_t high = qh >> 16;
  const uint8_t* const qs = block + 6;
  for (int i = 0; i < 16; ++i) {
    weights[i] = d * (((qs[i] & 15) | HighBit(low, i)) - 16);
  }
  for (int i = 0; i < 16; ++i) {
    weights[i + 16] = d * (((qs[i] >> 4) | HighBit(high, i)) - 16);
  }
}

// Q5_1: 32 weights in 24 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  m    f16, the block's offset
//   byte   4  qh   u32, bit i is bit 4 of quant i
//   byte   8  qs   16 bytes, bits 0..3 of two quants, as in Q5_0
//
//   weight[i] = d * quant[i] + m
void DequantizeQ5_1(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const float m = LoadF16(block + 2);
  const uint32_t qh = LoadUnsigned<uint32_t>(block + 4, Endian::kLittle);
  const uint16_t low = static_cast<uint16_t>(qh);
  const uint16_t high = qh >> 16;
  const uint8_t* const qs = block + 8;
  for (int i = 0; i < 16; ++i) {
    weights[i] = d * ((qs[i] & 15) | HighBit(low, i)) + m;
  }
  for (int i = 0; i < 16; ++i) {
    weights[i + 16] = d * ((qs[i] >> 4) | HighBit(high, i)) + m;
  }
}

// Q8_0: 32 weights in 34 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   32 x int8
//
//   weight[i] = d * qs[i]
void DequantizeQ8_0(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block);
  const uint8_t* const qs = block + 2;
  for (int i = 0; i < 32; ++i) weights[i] = d * static_cast<int8_t>(qs[i]);
}

// Q8_1: 32 weights in 36 bytes.  ggml converts activations to such blocks and
// never converts them back, so it has no dequantizer; the meaning follows from
// its quantizer.
//
//   byte   0  d    f16, the block's scale
//   byte   2  s    f16, d times the sum of qs (redundant, not used here)
//   byte   4  qs   32 x int8
//
//   weight[i] = d * qs[i]
void DequantizeQ8_1(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const uint8_t* const qs = block + 4;
  for (int i = 0; i < 32; ++i) weights[i] = d * static_cast<int8_t>(qs[i]);
}

constexpr Kernel kLegacyQuants[] = {
    Reference<TensorType::kQ4_0, DequantizeQ4_0>(), Reference<TensorType::kQ4_1, DequantizeQ4_1>(),
    Reference<TensorType::kQ5_0, DequantizeQ5_0>(), Reference<TensorType::kQ5_1, DequantizeQ5_1>(),
    Reference<TensorType::kQ8_0, DequantizeQ8_0>(), Reference<TensorType::kQ8_1, DequantizeQ8_1>(),
};

}  // namespace

absl::Span<const Kernel> LegacyQuants() { return kLegacyQuants; }

}  // namespace gguf
