// The length of the vectors that the encoders of a projector make.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_PROJECTOR_WIDTH_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_PROJECTOR_WIDTH_H_

#include <cstdint>
#include <optional>

#include "conformance/model/model.h"
#include "conformance/model/projector.h"
#include "parser/core/file.h"

namespace gguf {

// Why the width of an encoder is unknown, for Finder::CannotCheck.
inline constexpr char kUnknownWidth[] =
    "the tensor that shows the projector's width is unknown or missing";

struct ProjectorWidth {
  const TensorInfo* tensor;  // A dimension of it is `length`.
  uint64_t length;
  uint64_t outputs;  // The number of vectors of this length, at least 1.

  // The length of all vectors together; nothing if it exceeds 64 bits.
  std::optional<uint64_t> Total() const;
};

// Returns nothing if the encoder's type is unknown, or its tensor absent.
std::optional<ProjectorWidth> WidthOf(const Model& model,
                                      const Encoder& encoder);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_PROJECTOR_WIDTH_H_
