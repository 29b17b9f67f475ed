// Evaluates the dimensions of a tensor's row.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/architecture/expected_shape.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"

namespace gguf {

Shape ShapeOf(const TensorInfo& tensor) {
  Shape shape{1, 1, 1, 1};
  for (uint32_t d = 0; d < tensor.rank(); ++d) {
    shape[d] = static_cast<int64_t>(std::min<uint64_t>(tensor.dims[d], INT64_MAX));
  }
  return shape;
}

std::optional<Shape> ExpectedShape(const Model& model, const Hparams& hparams, bool lacks_key,
                                   const Shape& found, const Dims& dims, int64_t block) {
  Shape shape{1, 1, 1, 1};
  for (uint32_t d = 0; d < dims.rank; ++d) {
    const Expr& expr = dims.dims[d];
    if (expr.empty()) {
      shape[d] = found[d];
      continue;
    }
    const auto value = hparams.Evaluate(expr, block);
    if (!value) return std::nullopt;
    if (*value <= 0 && *value != found[d] && lacks_key) return std::nullopt;
    shape[d] = *value;
    // vocabulary-fits-embedding compares the vocabulary with the embedding.
    if (expr.source != absl::string_view("n_vocab")) continue;
    const TensorInfo* embedding = model.FindTensor("token_embd.weight");
    if (embedding != nullptr && ShapeOf(*embedding)[1] == found[d]) {
      shape[d] = found[d];
    }
  }
  return shape;
}

std::optional<uint64_t> ElementsOf(const Shape& shape) {
  std::optional<uint64_t> elements = 1;
  for (const int64_t size : shape) {
    if (!elements) return std::nullopt;
    elements = CheckedMultiply(*elements, static_cast<uint64_t>(size));
  }
  return elements;
}

bool HasExpectedShape(const TensorRole& role, const TensorInfo& tensor) {
  return role.role == Role::kAskedFor && role.row->shape.rank > 0 &&
         tensor.n_dims.value <= kMaxDimensions;
}

bool Fits(const Dims& dims, const Shape& found, const Shape& expected) {
  if (found == expected) return true;
  if (!dims.any_shape) return false;
  const auto count = ElementsOf(found);
  const auto wanted = ElementsOf(expected);
  return !count || !wanted || count == wanted;
}

}  // namespace gguf
