// ComparePiece: the differences of some weights of a tensor from the base's.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_COMPARE_PIECE_H_
#define GGUF_CONFORMANCE_COMPARE_COMPARE_PIECE_H_

#include <cstdint>

#include "conformance/compare/tensor_judge.h"
#include "parser/core/byte_order.h"
#include "parser/core/bytes.h"
#include "parser/core/tensor_type.h"

namespace gguf {

// A part of a tensor, as a file stores it.
struct StoredPart {
  const TensorTypeInfo* type = nullptr;
  Endian endian = Endian::kLittle;
  Bytes bytes;  // Whole blocks.
};

// Compares the weights [begin, end) of a tensor, which `base` and `file` store.
// `begin` is a multiple of kMostBlock, and `end` as well unless the tensor ends
// there.  One of `every` windows of some thousand weights is examined, and
// every block that loses more than is usual.  Which blocks these are does not
// depend on the pieces.
DifferenceSums ComparePiece(const StoredPart& base, const StoredPart& file,
                            uint64_t begin, uint64_t end, uint64_t every,
                            const TensorJudge& judge);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_COMPARE_PIECE_H_
