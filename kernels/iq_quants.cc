// IQ1_S IQ1_M IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S IQ4_NL IQ4_XS: groups of
// weights are entries of a code book (iq_codebooks.h), times a sign and a
// scale.
//
// Fields are little endian; bits are counted from the lowest.  "lo" and "hi"
// are the four lower and upper bits of a byte.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/float_formats.h"
#include "kernels/iq_codebooks.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

uint16_t LoadU16(const uint8_t* bytes) { return LoadUnsigned<uint16_t>(bytes, Endian::kLittle); }

uint32_t LoadU32(const uint8_t* bytes) { return LoadUnsigned<uint32_t>(bytes, Endian::kLittle); }

// weight[j] = scale * entry[j], negated if bit j of `signs` is set.
template <int n>
void SignedEntry(float scale, const int8_t (&entry)[n], uint32_t signs, float* weights) {
  for (int j = 0; j < n; ++j) {
    const int sign = 1 - static_cast<int>((signs >> j) & 1) * 2;
    weights[j] = scale * (entry[j] * sign);
  }
}

// weight[j] = scale * (entry[j] +- 1/8), where the entry and `eighth`, which is
// 1 or -1, are in eighths.
void ShiftedEntry(float scale, const int8_t (&entry)[8], int eighth, float* weights) {
  for (int j = 0; j < 8; ++j) {
    weights[j] = scale * 0.125f * (entry[j] + eighth);
  }
}

// IQ1_S: 256 weights in 50 bytes; 8 groups of 32.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   32 bytes, bits 0..7 of 4 indices a group
//   byte  34  qh   8 x u16, one a group:
//                    bits 3l..3l+2  bits 8..10 of index l
//                    bits 12..14    the group's scale s
//                    bit 15         the shift's sign
//
//   weight = d * (2 s + 1) * (entry[j] +- 1/8)
void DequantizeIQ1_S(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 4 * group;
    const uint16_t qh = LoadU16(block + 34 + 2 * group);
    const float scale = d * (2 * ((qh >> 12) & 7) + 1);
    const int eighth = 1 - (qh >> 15) * 2;
    for (int l = 0; l < 4; ++l) {
      const int index = qs[l] | (((qh >> (3 * l)) & 7) << 8);
      ShiftedEntry(scale, kIq1Book.entry[index], eighth, weights + 32 * group + 8 * l);
    }
  }
}

// IQ1_M: 256 weights in 56 bytes; 16 groups of 16.
//
//   byte   0  qs      32 bytes, bits 0..7 of 2 indices a group
//   byte  32  qh      16 bytes, one a group: lo for the first index, hi for the
//                     second; its bits 0..2 are bits 8..10 of the index, its
//                     bit 3 is the shift's sign
//   byte  48  scales  4 x u16: bits 0..11 are the scales of 4 groups, 3 bits
//                     each; bits 12..15 of the four are the block's scale d, an
//                     f16, lowest nibble first
//
//   weight = d * (2 scale + 1) * (entry[j] +- 1/8)
void DequantizeIQ1_M(const uint8_t* block, float* weights) {
  const uint8_t* const scales = block + 48;
  uint32_t d_bits = 0;
  for (int i = 0; i < 4; ++i) {
    d_bits |= (LoadU16(scales + 2 * i) >> 12) << (4 * i);
  }
  const float d = F16ToFloat(static_cast<uint16_t>(d_bits));

  for (int group = 0; group < 16; ++group) {
    const uint8_t* const qs = block + 2 * group;
    const int packed = LoadU16(scales + group / 4 * 2) >> (3 * (group % 4));
    const float scale = d * (2 * (packed & 7) + 1);
    for (int l = 0; l < 2; ++l) {
      const int high = block[32 + group] >> (4 * l);
      ShiftedEntry(scale, kIq1Book.entry[qs[l] | ((high & 7) << 8)], 1 - (high >> 3 & 1) * 2,
                   weights + 16 * group + 8 * l);
    }
  }
}

// IQ2_XXS: 256 weights in 66 bytes; 8 groups of 32.
//
//   byte   0  d    f16, the block's scale
//   byte   2       8 groups of
//     byte 0  qs     4 bytes, 4 indices
//     byte 4  aux    u32: bits 7l..7l+6 the signs of entry l (EvenSigns), bits
//                    28..31 the group's scale s
//
//   weight = d * (s + 1/2) / 4 * +-entry[j]
void DequantizeIQ2_XXS(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 8 * group;
    const uint32_t aux = LoadU32(qs + 4);
    const float scale = d * (0.5f + (aux >> 28)) * 0.25f;
    for (int l = 0; l < 4; ++l) {
      SignedEntry(scale, kIq2XxsBook.entry[qs[l]], EvenSigns((aux >> (7 * l)) & 127),
                  weights + 32 * group + 8 * l);
    }
  }
}

// IQ2_XS: 256 weights in 74 bytes; 16 groups of 16.
//
//   byte   0  d       f16, the block's scale
//   byte   2  qs      32 x u16, 2 a group: bits 0..8 an index, bits 9..15 the
//                     signs (EvenSigns)
//   byte  66  scales  8 bytes: lo is the scale s of an even group, hi of the
//   odd
//                     one after it
//
//   weight = d * (s + 1/2) / 4 * +-entry[j]
void DequantizeIQ2_XS(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  for (int group = 0; group < 16; ++group) {
    const int s = (block[66 + group / 2] >> (group % 2 * 4)) & 15;
    const float scale = d * (0.5f + s) * 0.25f;
    for (int l = 0; l < 2; ++l) {
      const uint16_t q = LoadU16(block + 2 + 4 * group + 2 * l);
      SignedEntry(scale, kIq2XsBook.entry[q & 511], EvenSigns(q >> 9),
                  weights + 16 * group + 8 * l);
    }
  }
}

// IQ2_S: 256 weights in 82 bytes; 16 groups of 16.
//
//   byte   0  d       f16, the block's scale
//   byte   2  qs      32 bytes, bits 0..7 of 2 indices a group
//   byte  34  signs   32 bytes, one an index; bit j for entry[j]
//   byte  66  qh      8 bytes, one for each 2 groups: bits 2l and 2l + 1 are
//   bits
//                     8 and 9 of the l-th of their 4 indices
//   byte  74  scales  8 bytes, as in IQ2_XS
//
//   weight = d * (s + 1/2) / 4 * +-entry[j]
void DequantizeIQ2_S(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const uint8_t* const qs = block + 2;
  const uint8_t* const signs = block + 34;
  for (int group = 0; group < 16; ++group) {
    const int s = (block[74 + group / 2] >> (group % 2 * 4)) & 15;
    const float scale = d * (0.5f + s) * 0.25f;
    for (int i = 2 * group; i < 2 * group + 2; ++i) {
      const int high = (block[66 + i / 4] >> (i % 4 * 2)) & 3;
      SignedEntry(scale, kIq2SBook.entry[qs[i] | (high << 8)], signs[i], weights + 8 * i);
    }
  }
}

// IQ3_XXS: 256 weights in 98 bytes; 8 groups of 32.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   64 bytes, 8 indices a group, of entries of 4 weights
//   byte  66  aux  8 x u32, one a group: bits 7l..7l+6 the signs of 8 weights
//                  (EvenSigns), bits 28..31 the group's scale s
//
//   weight = d * (s + 1/2) / 2 * +-entry[j]
void DequantizeIQ3_XXS(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 8 * group;
    const uint32_t aux = LoadU32(block + 66 + 4 * group);
    const float scale = d * (0.5f + (aux >> 28)) * 0.5f;
    for (int l = 0; l < 8; ++l) {
      const uint32_t signs = EvenSigns((aux >> (l / 2 * 7)) & 127);
      SignedEntry(scale, kIq3XxsBook.entry[qs[l]], signs >> (l % 2 * 4),
                  weights + 32 * group + 4 * l);
    }
  }
}

// IQ3_S: 256 weights in 110 bytes; 8 groups of 32.
//
//   byte   0  d       f16, the block's scale
//   byte   2  qs      64 bytes, bits 0..7 of 8 indices a group, of entries of 4
//   byte  66  qh      8 bytes, one a group: bit l is bit 8 of index l
//   byte  74  signs   32 bytes, 4 a group; bit j for weight j of 8
//   byte 106  scales  4 bytes: lo is the scale s of an even group, hi of the
//   odd
//                     one after it
//
//   weight = d * (2 s + 1) * +-entry[j]
void DequantizeIQ3_S(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  for (int group = 0; group < 8; ++group) {
    const uint8_t* const qs = block + 2 + 8 * group;
    const uint8_t* const signs = block + 74 + 4 * group;
    const int s = (block[106 + group / 2] >> (group % 2 * 4)) & 15;
    const float scale = d * (2 * s + 1);
    for (int l = 0; l < 8; ++l) {
      const int high = (block[66 + group] >> l) & 1;
      SignedEntry(scale, kIq3SBook.entry[qs[l] | (high << 8)], signs[l / 2] >> (l % 2 * 4),
                  weights + 32 * group + 4 * l);
    }
  }
}

// 32 weights from 16 bytes: lo for the first 16, hi for the others.
//
//   weight = scale * kIq4Values[quant]
void Iq4Group(float scale, const uint8_t* qs, float* weights) {
  for (int i = 0; i < 16; ++i) {
    weights[i] = scale * kIq4Values[qs[i] & 15];
    weights[i + 16] = scale * kIq4Values[qs[i] >> 4];
  }
}

// IQ4_NL: 32 weights in 18 bytes.
//
//   byte   0  d    f16, the block's scale
//   byte   2  qs   16 bytes (Iq4Group)
void DequantizeIQ4_NL(const uint8_t* block, float* weights) {
  Iq4Group(LoadF16(block), block + 2, weights);
}

// IQ4_XS: 256 weights in 136 bytes; 8 groups of 32.
//
//   byte   0  d         f16, multiplies the scales
//   byte   2  scales_h  u16: bits 2g and 2g + 1 are bits 4 and 5 of scale g
//   byte   4  scales_l  4 bytes, bits 0..3 of the scales: lo of an even
//   group's,
//                       hi of the odd one's after it
//   byte   8  qs        128 bytes, 16 a group (Iq4Group)
//
// The scales are stored plus 32.
void DequantizeIQ4_XS(const uint8_t* block, float* weights) {
  const float d = LoadF16(block);
  const uint16_t scales_h = LoadU16(block + 2);
  for (int group = 0; group < 8; ++group) {
    const int low = (block[4 + group / 2] >> (group % 2 * 4)) & 15;
    const int high = (scales_h >> (2 * group)) & 3;
    Iq4Group(d * ((low | (high << 4)) - 32), block + 8 + 16 * group, weights + 32 * group);
  }
}

constexpr Kernel kIqQuants[] = {
    Reference<TensorType::kIQ1_S, DequantizeIQ1_S>(),
    Reference<TensorType::kIQ1_M, DequantizeIQ1_M>(),
    Reference<TensorType::kIQ2_XXS, DequantizeIQ2_XXS>(),
    Reference<TensorType::kIQ2_XS, DequantizeIQ2_XS>(),
    Reference<TensorType::kIQ2_S, DequantizeIQ2_S>(),
    Reference<TensorType::kIQ3_XXS, DequantizeIQ3_XXS>(),
    Reference<TensorType::kIQ3_S, DequantizeIQ3_S>(),
    Reference<TensorType::kIQ4_NL, DequantizeIQ4_NL>(),
    Reference<TensorType::kIQ4_XS, DequantizeIQ4_XS>(),
};

}  // namespace

absl::Span<const Kernel> IqQuants() { return kIqQuants; }

}  // namespace gguf
