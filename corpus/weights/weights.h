// WeightsOf: the weights that the blocks of a tensor stand for.
//
// Each type is defined by a function of one weight: slow, and independent of
// kernels/, because the corpus judges them.  weights_test.cc compares the
// definitions with the golden vectors (corpus/vectors), which are ggml's.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_WEIGHTS_WEIGHTS_H_
#define GGUF_CORPUS_WEIGHTS_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf::corpus {

// Returns the weights of whole little-endian blocks, in order, as floats.
// Nothing: the type is unknown, or the last block is not whole.
std::optional<std::vector<float>> WeightsOf(uint32_t type, absl::string_view blocks);

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_WEIGHTS_WEIGHTS_H_
