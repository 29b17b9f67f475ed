// The code books of the iq types: groups of weights, selected by indices.
//
// The values are ggml's (ggml-common.h); iq_codebooks_test.cc has their hashes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_IQ_CODEBOOKS_H_
#define GGUF_KERNELS_IQ_CODEBOOKS_H_

#include <cstddef>
#include <cstdint>

namespace gguf {

// `entries` groups of `weights` small integers, in the order of the weights.
template <size_t entries, size_t weights>
struct CodeBook {
  alignas(8) int8_t entry[entries][weights];
};

// IQ1_S and IQ1_M: -1, 0 and 1, in eighths; these types shift them by one
// eighth.
extern const CodeBook<2048, 8> kIq1Book;

extern const CodeBook<256, 8> kIq2XxsBook;
extern const CodeBook<512, 8> kIq2XsBook;
extern const CodeBook<1024, 8> kIq2SBook;
extern const CodeBook<256, 4> kIq3XxsBook;
extern const CodeBook<512, 4> kIq3SBook;

// IQ4_NL and IQ4_XS: the values of a 4-bit quant.
constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                   1,    13,   25,  38,  53,  69,  89,  113};

// The sign bits of 8 weights, of which 7 are stored: the number of minus signs
// is always even.  Bit j is for weight j, 1 for minus.
constexpr uint8_t EvenSigns(uint32_t seven_bits) {
  const uint32_t fold4 = seven_bits ^ (seven_bits >> 4);
  const uint32_t fold2 = fold4 ^ (fold4 >> 2);
  const uint32_t odd = (fold2 ^ (fold2 >> 1)) & 1;
  return static_cast<uint8_t>(seven_bits | (odd << 7));
}

}  // namespace gguf

#endif  // GGUF_KERNELS_IQ_CODEBOOKS_H_
