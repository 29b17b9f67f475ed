// Origin: the model that a file is said to be made from.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_ORIGIN_H_
#define GGUF_CONFORMANCE_COMPARE_ORIGIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/compare/source_model.h"
#include "conformance/model/model.h"
#include "conformance/model/placement.h"
#include "conformance/model/tensor_table.h"
#include "parser/core/file.h"

namespace gguf {

// Either a GGUF model, the base, or what the files of a folder say.  Constant:
// several threads may share one.
class Origin {
 public:
  // `base` is the whole model, with all tensors, and must outlive this object.
  explicit Origin(const Model& base);
  explicit Origin(SourceModel source);
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  // Null for a folder.
  const Model* base() const { return base_; }
  // Null for a base.
  const SourceModel* source() const { return source_ ? &*source_ : nullptr; }

  // Empty if the origin has none.
  absl::string_view architecture() const { return architecture_; }

  // A tensor of the base, and the file with its data.
  struct Tensor {
    const TensorInfo* info = nullptr;  // Null if there is none.
    const File* file = nullptr;
    bool has_data = false;  // Placed inside the file, alone.
  };
  Tensor FindTensor(absl::string_view name) const;

 private:
  const Model* base_ = nullptr;
  std::optional<SourceModel> source_;
  std::string architecture_;
  std::optional<TensorIndex> index_;
  std::vector<Placement> placements_;  // By file of the base.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_ORIGIN_H_
