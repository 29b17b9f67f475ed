// The tensor types of programs other than llama.cpp, and the measured size of
// tensors, which tells layouts of the same id apart.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CONTAINER_FOREIGN_TYPE_H_
#define GGUF_CONFORMANCE_RULES_CONTAINER_FOREIGN_TYPE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "conformance/model/model.h"

namespace gguf {

// The distances from the data of each tensor to that of the next one, or to the
// end of the file; by tensor index.  0 where two tensors share an offset, or an
// offset is beyond the file.  The alignment must be known.
std::vector<uint64_t> MeasureSpans(const File& file);

// Returns whether data of `size` bytes, padded, takes up the distance.
bool FitsSpan(const File& file, std::optional<uint64_t> size, uint64_t span);

// A type number of llama.cpp that another program uses for blocks of its own.
struct ForeignLayout {
  const SizedType* type;
  const TensorInfo* first;  // Of the tensors of this type.
  uint64_t tensors;
};

// Returns the types whose tensors do not have the sizes that llama.cpp gives
// them, but all have those of another program.  Empty if the alignment or the
// tensor table is unknown.
std::vector<ForeignLayout> FindForeignLayouts(const File& file);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CONTAINER_FOREIGN_TYPE_H_
