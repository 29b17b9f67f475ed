// Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K: 256 weights; groups of 16 or 32 have a small
// integer scale each, and the block has a float that multiplies them all.
//
// Fields are little endian.  "lo" and "hi" are the four lower and upper bits of
// a byte.  __restrict is used where it helps gcc.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

// Q2_K: 256 weights in 84 bytes; 16 groups of 16.
//
//   byte   0  scales  16 bytes: lo is group g's scale, hi its offset
//   byte  16  qs      64 bytes of four 2-bit quants
//   byte  80  d       f16, multiplies the scales
//   byte  82  dmin    f16, multiplies the offsets
//
// Each half of the block, 128 weights, has 32 bytes of qs.  Of these, weights
// 0..31 take bits 0 and 1, weights 32..63 bits 2 and 3, and so on.
//
//   weight = d * lo(scales[g]) * quant - dmin * hi(scales[g])
void DequantizeQ2_K(const uint8_t* block, float* __restrict weights) {
  const float d = LoadF16(block + 80);
  const float dmin = LoadF16(block + 82);
  for (int group = 0; group < 16; ++group) {
    const int half = group / 8;
    const int shift = group % 8 / 2 * 2;
    const uint8_t* const qs = block + 16 + 32 * half + 16 * (group % 2);
    const float scale = d * (block[group] & 15);
    const float offset = dmin * (block[group] >> 4);
    for (int i = 0; i < 16; ++i) {
      weights[16 * group + i] = scale * ((qs[i] >> shift) & 3) - offset;
    }
  }
}

// The scale of Q3_K's group `g`: 6 bits, stored plus 32.  Bits 0..3 are a
// nibble of the first 8 bytes (lo for groups 0..7, hi for 8..15), bits 4 and 5
// are in byte 8 + g % 4, from bit 2 * (g / 4).
int ScaleOfQ3_K(const uint8_t* scales, int g) {
  const int low = (scales[g % 8] >> (g / 8 * 4)) & 15;
  const int high = (scales[8 + g % 4] >> (g / 4 * 2)) & 3;
  return (low | (high << 4)) - 32;
}

// Q3_K: 256 weights in 110 bytes; 16 groups of 16.
//
//   byte   0  hmask   32 bytes, bit 2 of the quants
//   byte  32  qs      64 bytes, bits 0 and 1 of four quants, as in Q2_K
//   byte  96  scales  12 bytes, 16 scales of 6 bits (ScaleOfQ3_K)
//   byte 108  d       f16, multiplies the scales
//
// Weight i, of 256, has its bit 2 in hmask[i % 32], bit i / 32.
//
//   weight = d * scale[g] * (quant - 4)
void DequantizeQ3_K(const uint8_t* block, float* weights) {
  const float d = LoadF16(block + 108);
  for (int group = 0; group < 16; ++group) {
    const int half = group / 8;
    const int shift = group % 8 / 2 * 2;
    const uint8_t* const hmask = block + 16 * (group % 2);
    const uint8_t* const qs = block + 32 + 32 * half + 16 * (group % 2);
    const float scale = d * ScaleOfQ3_K(block + 96, group);
    for (int i = 0; i < 16; ++i) {
      const int low = (qs[i] >> shift) & 3;
      const int high = (hmask[i] >> (group / 2)) & 1;
      weights[16 * group + i] = scale * ((low | (high << 2)) - 4);
    }
  }
}

// The scale and offset of group `g` of Q4_K and Q5_K, 6 bits each in 12 bytes.
//
//   bytes 0..3   bits 0..5: scale g, g < 4    bits 6, 7: bits 4, 5 of scale g+4
//   bytes 4..7   bits 0..5: offset g          bits 6, 7: bits 4, 5 of offset
//   g+4 bytes 8..11  lo: bits 0..3 of scale g+4   hi: bits 0..3 of offset g+4
struct ScaleAndOffset {
  uint8_t scale;
  uint8_t offset;
};

ScaleAndOffset UnpackScale(const uint8_t* scales, int g) {
  if (g < 4) {
    return {static_cast<uint8_t>(scales[g] & 63), static_cast<uint8_t>(scales[g + 4] & 63)};
  }
  return {static_cast<uint8_t>((scales[g + 4] & 15) | ((scales[g - 4] >> 6) << 4)),
          static_cast<uint8_t>((scales[g + 4] >> 4) | ((scales[g] >> 6) << 4))};
}

// Q4_K: 256 weights in 144 bytes; Q5_K: in 176 bytes; 8 groups of 32.
//
//   byte   0  d       f16, multiplies the scales
//   byte   2  dmin    f16, multiplies the offsets
//   byte   4  scales  12 bytes (ScaleAndOffset)
//   byte  16  qh      Q5_K only: 32 bytes: bit g of qh[i] is bit 4 of group g's
//                     quant i
//             qs      128 bytes, bits 0..3 of two quants
//
// Groups 2k and 2k + 1 share 32 bytes of qs: lo is the former's, hi the
// latter's.
//
//   weight = d * scale[g] * quant - dmin * offset[g]
template <bool has_qh>
void DequantizeQ45_K(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const float dmin = LoadF16(block + 2);
  const uint8_t* const qh = block + 16;
  for (int group = 0; group < 8; ++group) {
    const ScaleAndOffset packed = UnpackScale(block + 4, group);
    const float scale = d * packed.scale;
    const float offset = dmin * packed.offset;
    const uint8_t* const qs = block + (has_qh ? 48 : 16) + 32 * (group / 2);
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i) {
      const int low = (qs[i] >> shift) & 15;
      const int high = has_qh ? (qh[i] >> group) & 1 : 0;
      weights[32 * group + i] = scale * (low | (high << 4)) - offset;
    }
  }
}

// Q6_K: 256 weights in 210 bytes; 16 groups of 16.
//
//   byte   0  ql      128 bytes, bits 0..3 of two quants
//   byte 128  qh      64 bytes, bits 4 and 5 of four quants
//   byte 192  scales  16 x int8
//   byte 208  d       f16, multiplies the scales
//
// Each half of the block, 128 weights, has 64 bytes of ql and 32 of qh.  Its
// four rows of 32 weights take lo(ql[0..31]), lo(ql[32..63]), hi(ql[0..31]),
// hi(ql[32..63]); row r takes bits 2r and 2r + 1 of qh.
//
//   weight = d * scales[g] * (quant - 32)
void DequantizeQ6_K(const uint8_t* block, float* weights) {
  const float d = LoadF16(block + 208);
  for (int group = 0; group < 16; ++group) {
    const int half = group / 8;
    const int row = group % 8 / 2;
    const int column = group % 2 * 16;
    const uint8_t* const ql = block + 64 * half + 32 * (row % 2) + column;
    const uint8_t* const qh = block + 128 + 32 * half + column;
    const float scale = d * static_cast<int8_t>(block[192 + group]);
    for (int i = 0; i < 16; ++i) {
      const int low = (ql[i] >> (row / 2 * 4)) & 15;
      const int high = (qh[i] >> (row * 2)) & 3;
      weights[16 * group + i] = scale * ((low | (high << 4)) - 32);
    }
  }
}

// Q8_K: 256 weights in 292 bytes.  ggml stores activations in this type, seldom
// weights.
//
//   byte   0  d      f32, the block's scale
//   byte   4  qs     256 x int8
//   byte 260  bsums  16 x i16, the sum of each 16 qs (redundant, not used here)
//
//   weight[i] = d * qs[i]
void DequantizeQ8_K(const uint8_t* block, float* __restrict weights) {
  const float d = FloatFromBits(LoadUnsigned<uint32_t>(block, Endian::kLittle));
  const uint8_t* const qs = block + 4;
  for (int i = 0; i < 256; ++i) weights[i] = d * static_cast<int8_t>(qs[i]);
}

constexpr Kernel kKQuants[] = {
    Reference<TensorType::kQ2_K, DequantizeQ2_K>(),
    Reference<TensorType::kQ3_K, DequantizeQ3_K>(),
    Reference<TensorType::kQ4_K, DequantizeQ45_K<false>>(),
    Reference<TensorType::kQ5_K, DequantizeQ45_K<true>>(),
    Reference<TensorType::kQ6_K, DequantizeQ6_K>(),
    Reference<TensorType::kQ8_K, DequantizeQ8_K>(),
};

}  // namespace

absl::Span<const Kernel> KQuants() { return kKQuants; }

}  // namespace gguf
