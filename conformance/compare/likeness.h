// FindLikeness: what the weights of a tensor seem to be, if they are not those
// of the base.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_LIKENESS_H_
#define GGUF_CONFORMANCE_COMPARE_LIKENESS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/compare/origin.h"
#include "parser/core/file.h"

namespace gguf {

struct Likeness {
  enum Kind {
    kNone,
    kTensor,      // Those of `tensor` in the base.
    kRow,         // Row 1 is row `row` of the base's tensor.
    kTransposed,  // Row 1 is column 1 of the base's tensor.
  };
  Kind kind = kNone;
  absl::string_view tensor;  // From the base.
  uint64_t row = 0;
};

// Compares the second row of a tensor (the first often stays in its place) with
// rows of the base, up to a few million weights of it.  The tensor and the
// base's tensor of its name were compared: they have the same shape, and data.
Likeness FindLikeness(const File& file, const TensorInfo& tensor,
                      const Origin& origin);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_LIKENESS_H_
