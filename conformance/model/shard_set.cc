// Determines which shards exist and whether they form a complete model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/shard_set.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "conformance/base/bytes.h"

namespace gguf {
namespace {

using Shard = ShardSet::Shard;

std::vector<Shard> ByNumber(std::vector<Shard> shards) {
  absl::c_sort(shards,
               [](const Shard& a, const Shard& b) { return a.name.number < b.name.number; });
  return shards;
}

std::vector<const Shard*> Opened(const std::vector<Shard>& shards) {
  std::vector<const Shard*> opened;
  for (const Shard& shard : shards) {
    if (shard.model != nullptr) opened.push_back(&shard);
  }
  Assert(!opened.empty(), "a set has no shard that could be opened");
  return opened;
}

std::vector<const File*> FilesOf(const std::vector<const Shard*>& shards) {
  std::vector<const File*> files;
  for (const Shard* shard : shards) files.push_back(&shard->model->file);
  return files;
}

bool IsNumberedAsNamed(const Shard& shard) {
  const Hparams& hparams = shard.model->hparams();
  return hparams.Get(Symbol::kSplitNo) == int64_t{shard.name.number} - 1;
}

}  // namespace

ShardSet::ShardSet(std::vector<Shard> shards)
    : shards_(ByNumber(std::move(shards))),
      opened_(Opened(shards_)),
      tensors_(FilesOf(opened_)),
      tensor_index_(tensors_),
      first_(FindFirst()) {
  for (size_t file = 0; file < opened_.size(); ++file) {
    Model* const model = opened_[file]->model;
    model->Join({this, static_cast<size_t>(opened_[file] - shards_.data()),
                 first_ != nullptr ? first_->model : model, &tensors_, &tensor_index_,
                 tensors_.BeginOf(file)});
  }
  why_in_part_ = WhyInPart();
}

const Shard& ShardSet::FirstWith(absl::string_view tensor) const {
  return *opened_[tensors_.FileOf(tensor_index_.FindPosition(tensor).value_or(0))];
}

const Shard* ShardSet::FindFirst() const {
  for (const Shard* shard : opened_) {
    if (shard->name.number != 1) continue;
    if (shard->model->file.progress < Progress::kKeys) return nullptr;
    return IsNumberedAsNamed(*shard) ? shard : nullptr;
  }
  return nullptr;
}

absl::string_view ShardSet::WhyInPart() const {
  const uint64_t in_count =
      absl::c_count_if(shards_, [](const Shard& shard) { return shard.name.is_in_count(); });
  if (in_count < count()) return "a shard is missing";
  for (const Shard& shard : shards_) {
    if (shard.model == nullptr) return "a shard could not be opened";
    if (shard.model->file.progress < Progress::kTensors) {
      return "not all tensors of all shards could be read";
    }
    if (!IsNumberedAsNamed(shard)) {
      return "the shards' numbers differ from those in their names";
    }
  }
  return "";
}

}  // namespace gguf
