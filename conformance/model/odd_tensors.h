// FindOddTensors: the tensors that rules about single tensors look at.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_ODD_TENSORS_H_
#define GGUF_CONFORMANCE_MODEL_ODD_TENSORS_H_

#include <functional>
#include <vector>

#include "parser/core/file.h"

namespace gguf {

// In the order of the file.
using OddTensors = std::vector<std::reference_wrapper<const TensorInfo>>;

// Returns the tensors that are not like nearly all tensors of nearly all files:
//   - the name is 1 to 63 printable ASCII characters, without "..";
//   - there are 1 to 4 dimensions, none of which is zero;
//   - the type is in the written specification and was not removed;
//   - the size in bytes is known, and the offset is aligned.
//
// A rule about one of these properties need not look at other tensors, of which
// there may be a million.
OddTensors FindOddTensors(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_ODD_TENSORS_H_
