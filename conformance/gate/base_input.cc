// Opens a base, with its shards.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/base_input.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/gate/files.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/placement.h"
#include "conformance/model/shard_name.h"
#include "parser/core/diagnostic.h"
#include "parser/core/quote.h"
#include "parser/parse.h"

namespace gguf {
namespace {

// Checks whether the file can be a base, looking at this file alone.
absl::Status Judge(const File& file) {
  if (file.size == 0) return absl::InvalidArgumentError("is empty");
  if (file.legacy) {
    return absl::InvalidArgumentError("is not a GGUF file; a base must be one");
  }
  if (file.progress < Progress::kTensors) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot be read as a GGUF file: ", file.stop->Why()));
  }
  return absl::OkStatus();
}

// Checks whether the file has the data of all its tensors.
absl::Status JudgeData(const Model& model) {
  if (model.file.progress < Progress::kTensors) return absl::OkStatus();
  for (const TensorInfo& tensor : model.file.tensors) {
    if (model.placement().places[tensor.index] != Place::kOutside) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the data of tensor ", Quote(tensor.name.value),
                     " is past the end of the file, which is truncated"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<BaseInput>> BaseInput::Open(
    const std::string& path, const Limits& limits, bool unmapped, Use use) {
  std::unique_ptr<BaseInput> base(new BaseInput(unmapped));
  const FileGroup group = GroupShards({{path, absl::OkStatus()}}).front();
  const absl::Status status = base->Read(group, path, limits, use);
  if (status.ok()) return base;
  return absl::FailedPreconditionError(
      absl::StrCat(use == kCompanions ? "--base " : "the base ", Quote(path),
                   ": ", status.message()));
}

absl::Status BaseInput::Read(const FileGroup& group, const std::string& named,
                             const Limits& limits, Use use) {
  std::vector<ShardSet::Shard> shards;
  const Model* base = nullptr;
  for (const FoundFile& file : group.files) {
    paths_.push_back(file.path);
    const auto model = ReadFile(file, limits);
    if (model.ok() && use == kComparisons) {
      const absl::Status status = JudgeData(**model);
      if (!status.ok()) return status;
    }
    if (file.path == named) {
      if (!model.ok()) return model.status();
      const absl::Status status = Judge((*model)->file);
      if (!status.ok()) return status;
      base = *model;
    }
    if (!group.is_set) continue;
    names_.push_back(BaseName(file.path));
    shards.push_back({names_.back(), *ParseShardName(names_.back()),
                      model.ok() ? *model : nullptr});
  }
  // The file was removed while its folder was listed.
  if (base == nullptr) return absl::NotFoundError("no such file");
  if (group.is_set && base->hparams().may_be_shard()) {
    set_.emplace(std::move(shards));
  }
  const GgufKind kind = base->kind().kind;
  if (use == kCompanions && HasOwnLoader(kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", KindWords(kind), ", not a model"));
  }
  whole_ = &base->whole();
  model_.emplace(*whole_);
  if (use == kComparisons && !model_->why_not_all_tensors().empty()) {
    return absl::InvalidArgumentError(model_->why_not_all_tensors());
  }
  return absl::OkStatus();
}

// Drops the findings of the base itself; only a check of the base reports them.
absl::StatusOr<Model*> BaseInput::ReadFile(const FoundFile& file,
                                           const Limits& limits) {
  if (!file.status.ok()) return file.status;
  auto input = unmapped_ ? Input::OpenUnmapped(file.path, {limits, {}, nullptr})
                         : Input::Open(file.path, limits.stream_bytes);
  if (!input.ok()) return input.status();
  inputs_.push_back(*std::move(input));
  Diagnostics unused(0);
  models_.push_back(
      std::make_unique<Model>(Parse(inputs_.back().source(), limits, &unused)));
  return models_.back().get();
}

bool BaseInput::changed() const {
  return std::any_of(inputs_.begin(), inputs_.end(), [](const Input& input) {
    return !input.WhyChanged().empty();
  });
}

}  // namespace gguf
