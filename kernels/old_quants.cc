// The quantized types of ggml in March to May 2023.
//
// Until 12 May 2023 (QNT0) a byte held two neighbours: weight 2j in its lower
// four bits, weight 2j + 1 in its upper.  Since then (QNT1, and today) it holds
// weights j and j + n/2 of a block of n.  Until 19 May 2023 some scales were
// f32; since then they are f16.
//
// Fields are little endian.  "lo" and "hi" are the four lower and upper bits of
// a byte.  There are no fast kernels, because such files are rare.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

constexpr int kBlock = 32;

// The formats of scales and offsets.
struct F32 {
  static constexpr int kBytes = 4;
  static float Load(const uint8_t* bytes) {
    return FloatFromBits(LoadUnsigned<uint32_t>(bytes, Endian::kLittle));
  }
};
struct F16 {
  static constexpr int kBytes = 2;
  static float Load(const uint8_t* bytes) { return LoadF16(bytes); }
};

// Returns quant `i` of `qs`, if a byte holds two neighbours.
int NeighbourQuant(const uint8_t* qs, int i) {
  return i % 2 == 0 ? qs[i / 2] & 15 : qs[i / 2] >> 4;
}

// The same, if a byte holds quants j and j + 16.
int HalfQuant(const uint8_t* qs, int i) {
  return i < kBlock / 2 ? qs[i] & 15 : qs[i - kBlock / 2] >> 4;
}

// Returns bit `i` of `qh`, worth 16.
int HighBit(const uint8_t* qh, int i) { return (qh[i / 8] >> i % 8 & 1) << 4; }

// The types with a scale, d, and then the quants:
//
//              weights  bytes  d    quants
//   Q4_0 QNT0       32     20  f32  16 bytes of two neighbours
//   Q4_0 QNT1       32     20  f32  16 bytes of quants j and j + 16
//   Q4_2            16     10  f16  8 bytes of two neighbours
//
//   weight[i] = d * (quant[i] - 8)
template <class Number, int n, int (*quant)(const uint8_t*, int)>
void DequantizeScaled(const uint8_t* block, float* weights) {
  const float d = Number::Load(block);
  const uint8_t* const qs = block + Number::kBytes;
  for (int i = 0; i < n; ++i) weights[i] = d * (quant(qs, i) - 8);
}

// The types with a scale, d, an offset, m, and then the quants:
//
//              weights  bytes  d, m  quants
//   Q4_1 QNT0       32     24  f32   16 bytes of two neighbours
//   Q4_1 QNT1       32     24  f32   16 bytes of quants j and j + 16
//   Q4_3            16     12  f16   8 bytes of two neighbours
//
//   weight[i] = d * quant[i] + m
template <class Number, int n, int (*quant)(const uint8_t*, int)>
void DequantizeScaledPlus(const uint8_t* block, float* weights) {
  const float d = Number::Load(block);
  const float m = Number::Load(block + Number::kBytes);
  const uint8_t* const qs = block + 2 * Number::kBytes;
  for (int i = 0; i < n; ++i) weights[i] = d * quant(qs, i) + m;
}

// Q5_0 of QNT0: 32 weights in 22 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qh   4 bytes, bit i is bit 4 of quant i
//   byte   6  qs   16 bytes, bits 0..3 of two neighbours
//
//   weight[i] = d * (quant[i] - 16)
void DequantizeQ5_0Qnt0(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  for (int i = 0; i < kBlock; ++i) {
    const int quant = NeighbourQuant(block + 6, i) | HighBit(block + 2, i);
    weights[i] = d * (quant - 16);
  }
}

// Q5_1 of QNT0: 32 weights in 24 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  m    f16, the block's offset
//   byte   4  qh   4 bytes, bit i is bit 4 of quant i
//   byte   8  qs   16 bytes, bits 0..3 of two neighbours
//
//   weight[i] = d * quant[i] + m
void DequantizeQ5_1Qnt0(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const float m = LoadF16(block + 2);
  for (int i = 0; i < kBlock; ++i) {
    const int quant = NeighbourQuant(block + 8, i) | HighBit(block + 4, i);
    weights[i] = d * quant + m;
  }
}

// Q8_0 of QNT0 and QNT1: 32 weights in 36 bytes.
//
//   byte   0  d    f32, the block's scale
//   byte   4  qs   32 x int8
//
//   weight[i] = d * qs[i]
void DequantizeQ8_0Qnt0(const uint8_t* block, float* weights) {
  const float d = F32::Load(block);
  for (int i = 0; i < kBlock; ++i) {
    weights[i] = d * static_cast<int8_t>(block[4 + i]);
  }
}

// Q4_1_O of rwkv.cpp, April 2023: 32 weights in 24 bytes.  One of them, the
// outlier, is stored separately.
//
//   byte   0  d               f16, the block's scale
//   byte   2  m               f16, the block's offset
//   byte   4  outlier_index   u16; none where it is 32 or more
//   byte   6  outlier_value   f16
//   byte   8  qs              16 bytes of two neighbours
//
//   weight[i] = i == outlier_index ? outlier_value : d * quant[i] + m
void DequantizeQ4_1O(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const float m = LoadF16(block + 2);
  const uint16_t outlier = LoadUnsigned<uint16_t>(block + 4, Endian::kLittle);
  for (int i = 0; i < kBlock; ++i) {
    weights[i] = i == outlier ? LoadF16(block + 6) : d * NeighbourQuant(block + 8, i) + m;
  }
}

constexpr Kernel kOldQuants[] = {
    Reference<TensorType::kQ4_0_QNT0, DequantizeScaled<F32, 32, NeighbourQuant>>(),
    Reference<TensorType::kQ4_1_QNT0, DequantizeScaledPlus<F32, 32, NeighbourQuant>>(),
    Reference<TensorType::kQ4_2, DequantizeScaled<F16, 16, NeighbourQuant>>(),
    Reference<TensorType::kQ4_3, DequantizeScaledPlus<F16, 16, NeighbourQuant>>(),
    Reference<TensorType::kQ5_0_QNT0, DequantizeQ5_0Qnt0>(),
    Reference<TensorType::kQ5_1_QNT0, DequantizeQ5_1Qnt0>(),
    Reference<TensorType::kQ8_0_QNT0, DequantizeQ8_0Qnt0>(),
    Reference<TensorType::kQ4_0_QNT1, DequantizeScaled<F32, 32, HalfQuant>>(),
    Reference<TensorType::kQ4_1_QNT1, DequantizeScaledPlus<F32, 32, HalfQuant>>(),
    Reference<TensorType::kQ4_1_O, DequantizeQ4_1O>(),
};

}  // namespace

absl::Span<const Kernel> OldQuants() { return kOldQuants; }

}  // namespace gguf
