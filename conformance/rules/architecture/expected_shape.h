// The shapes of a model's tensors, as they are and as the hyperparameters give them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_ARCHITECTURE_EXPECTED_SHAPE_H_
#define GGUF_CONFORMANCE_RULES_ARCHITECTURE_EXPECTED_SHAPE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_roles.h"
#include "parser/file.h"

namespace gguf {

// Dimensions in file order; 1 behind the last one.
using Shape = std::array<int64_t, kMaxDimensions>;

// Returns the first four dimensions of a tensor.
Shape ShapeOf(const TensorInfo& tensor);

// Returns the dimensions that follow from the hyperparameters; those found
// where any size is allowed.  Returns nothing when they are not known, or if 0
// is expected and not found in a model that lacks a key, which
// llama-cpp-keys-present reports.
std::optional<Shape> ExpectedShape(const Model& model, const Hparams& hparams, bool lacks_key,
                                   const Shape& found, const Dims& dims, int64_t block);

// Returns the number of elements, or nothing if it is too large.
std::optional<uint64_t> ElementsOf(const Shape& shape);

// Returns whether the loader compares a tensor of this role with the row's dimensions.
bool HasExpectedShape(const TensorRole& role, const TensorInfo& tensor);

// Returns whether the loader takes a tensor of shape `found` for one of shape `expected`.
bool Fits(const Dims& dims, const Shape& found, const Shape& expected);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_ARCHITECTURE_EXPECTED_SHAPE_H_
