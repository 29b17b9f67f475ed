// Origin: the model that a file is said to be made from.  FindLikeness: what
// the weights of a tensor seem to be, if they are not those of its origin.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_ORIGIN_H_
#define GGUF_CONFORMANCE_COMPARE_ORIGIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/compare/read_source.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_data.h"
#include "conformance/model/tensor_table.h"
#include "parser/file.h"

namespace gguf {

// Either a GGUF model, or what the files of a Hugging Face folder say.
// Constant: several threads may share one.
class Origin {
 public:
  // `model` is the whole model, with all tensors, and must outlive this object.
  explicit Origin(const Model& model);
  explicit Origin(SourceModel source);
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  // Null for a folder.
  const Model* model() const { return model_; }
  // Null for a model.
  const SourceModel* source() const { return source_ ? &*source_ : nullptr; }

  // Empty if the origin has none.
  absl::string_view architecture() const { return architecture_; }

  // A tensor of the model, and the file with its data.
  struct Tensor {
    const TensorInfo* info = nullptr;  // Null if there is none.
    const File* file = nullptr;
    bool has_data = false;  // Placed inside the file, alone.
  };
  Tensor FindTensor(absl::string_view name) const;

 private:
  const Model* model_ = nullptr;
  std::optional<SourceModel> source_;
  std::string architecture_;
  std::optional<TensorIndex> index_;
  std::vector<Placement> placements_;  // By file of the model.
};

struct Likeness {
  enum Kind {
    kNone,
    kTensor,      // Those of `tensor` in the origin.
    kRow,         // Row 1 is row `row` of the origin's tensor.
    kTransposed,  // Row 1 is column 1 of the origin's tensor.
  };
  Kind kind = kNone;
  absl::string_view tensor;  // From the origin.
  uint64_t row = 0;
};

// Compares the second row of a tensor (the first often stays in its place) with
// rows of the origin, up to a few million weights of it.  The tensor and the
// origin's tensor of its name were compared: they have the same shape, and
// data.
Likeness FindLikeness(const File& file, const TensorInfo& tensor, const Origin& origin);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_ORIGIN_H_
