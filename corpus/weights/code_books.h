// The code books of the IQ types: groups of weights, selected by an index.
//
// A copy on purpose: the corpus judges kernels/, so the two share no data.
// Source: the grids of ggml-common.h.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_WEIGHTS_CODE_BOOKS_H_
#define GGUF_CORPUS_WEIGHTS_CODE_BOOKS_H_

#include <cstdint>

namespace gguf::corpus {

// The entries follow each other in `codes`, in hex.  Weight j of an entry has
// the `bits` bits from bit j * bits on; they select its value.
struct CodeBook {
  const char* codes;
  int weights;  // Of an entry.
  int bits;
  const int8_t* values;

  // Returns weight j of an entry.
  int At(int entry, int j) const;
};

extern const CodeBook kIq1Book;     // 2048 entries.
extern const CodeBook kIq2XxsBook;  // 256
extern const CodeBook kIq2XsBook;   // 512
extern const CodeBook kIq2SBook;    // 1024
extern const CodeBook kIq3XxsBook;  // 256
extern const CodeBook kIq3SBook;    // 512

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_WEIGHTS_CODE_BOOKS_H_
