// Computes what threads share.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/origin.h"

#include <utility>

namespace gguf {

Origin::Origin(const Model& base)
    : base_(&base), architecture_(base.hparams().architecture_name()) {
  const TensorTable& tensors = base.tensors();
  index_.emplace(tensors);
  for (size_t i = 0; i < tensors.files(); ++i) {
    const File& file = tensors.file(i);
    const bool is_complete =
        file.progress == Progress::kTensors && file.alignment_known;
    placements_.push_back(is_complete ? PlaceTensors(file) : Placement());
  }
  base.FindKey("");  // Computed when first used, which is not safe to share.
}

Origin::Origin(SourceModel source)
    : source_(std::move(source)), architecture_(source_->architecture) {}

Origin::Tensor Origin::FindTensor(absl::string_view name) const {
  if (base_ == nullptr) return {};
  const auto position = index_->FindPosition(name);
  if (!position) return {};
  const TensorTable& tensors = base_->tensors();
  const size_t i = tensors.FileOf(*position);
  const TensorInfo& info = tensors[*position];
  const std::vector<Place>& places = placements_[i].places;
  const bool has_data =
      info.index < places.size() && places[info.index] == Place::kGood;
  return {&info, &tensors.file(i), has_data};
}

}  // namespace gguf
