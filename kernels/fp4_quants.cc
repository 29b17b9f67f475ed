// MXFP4 NVFP4: 4-bit floats (E2M1) that share a scale of one byte.
//
// The values are doubled and the scales halved, so that the values are small
// integers.  "lo" and "hi" are the four lower and upper bits of a byte.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

// Writes 2 n weights from n bytes: lo for the first n, hi for the others.
//
//   weight = half_scale * kE2M1Doubled[quant]
template <int n>
void E2M1Group(float half_scale, const uint8_t* qs, float* weights) {
  for (int i = 0; i < n; ++i) {
    weights[i] = half_scale * kE2M1Doubled[qs[i] & 15];
    weights[i + n] = half_scale * kE2M1Doubled[qs[i] >> 4];
  }
}

// MXFP4: 32 weights in 17 bytes.
//
//   byte   0  e    E8M0, the block's scale
//   byte   1  qs   16 bytes of two E2M1 (E2M1Group)
void DequantizeMXFP4(const uint8_t* block, float* weights) {
  E2M1Group<16>(E8M0HalfToFloat(block[0]), block + 1, weights);
}

// NVFP4: 64 weights in 36 bytes; 4 groups of 16.
//
//   byte   0  d    4 x UE4M3, one scale a group
//   byte   4  qs   32 bytes of two E2M1, 8 a group (E2M1Group)
void DequantizeNVFP4(const uint8_t* block, float* weights) {
  for (int group = 0; group < 4; ++group) {
    E2M1Group<8>(Ue4m3HalfToFloat(block[group]), block + 4 + 8 * group, weights + 16 * group);
  }
}

constexpr Kernel kFp4Quants[] = {
    Reference<TensorType::kMXFP4, DequantizeMXFP4>(),
    Reference<TensorType::kNVFP4, DequantizeNVFP4>(),
};

}  // namespace

absl::Span<const Kernel> Fp4Quants() { return kFp4Quants; }

}  // namespace gguf
