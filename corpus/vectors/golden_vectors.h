// Golden vectors, for tests: the rows of vectors.tsv, which explains the
// columns and the blocks.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_VECTORS_GOLDEN_VECTORS_H_
#define GGUF_CORPUS_VECTORS_GOLDEN_VECTORS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace gguf::corpus {

struct GoldenVector {
  std::string type;  // "Q4_0".
  std::string set;   // "random", "real" or "codes".
  size_t blocks;
  std::string hash;
};

// Returns the rows, in order.  Aborts the test program if a row is malformed.
std::vector<GoldenVector> LoadGoldenVectors();

// Returns the blocks of a row, of so many bytes each.
std::string BlocksOf(const GoldenVector& vector, size_t block_bytes);

// Returns the hash of weights, as in the column.
std::string HashOfWeights(const std::vector<float>& weights);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_VECTORS_GOLDEN_VECTORS_H_
