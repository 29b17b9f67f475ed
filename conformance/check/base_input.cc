// Opens a base with its shards, or reads the files of a folder.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/base_input.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/check/option_table.h"
#include "conformance/compare/read_source.h"
#include "conformance/model/file_name.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/tensor_data.h"
#include "parser/diagnostic.h"
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

// Checks whether the weights of an origin can be read, looking at its path.
absl::Status JudgePath(const CheckOptions& options) {
  const std::string& path = options.origin;
  if (IsUrl(path)) {
    return absl::InvalidArgumentError("weights are not read from URLs; use a copy on disk");
  }
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("is a directory; name a file in it, or use ",
                                                   options.Named("source"),
                                                   " if it is a Hugging Face folder"));
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

absl::StatusOr<std::unique_ptr<BaseInput>> BaseInput::Open(const CheckOptions& options, Use use) {
  const bool companions = use == kCompanions;
  const std::string& path = companions ? options.base : options.origin;
  std::unique_ptr<BaseInput> base(new BaseInput(options, use));
  absl::Status status = companions ? absl::OkStatus() : JudgePath(options);
  if (status.ok()) {
    status = base->Read(GroupShards({{path, absl::OkStatus()}}).front(), path);
  }
  if (status.ok()) return base;
  return absl::FailedPreconditionError(
      absl::StrCat(companions ? options.Named(OptionOf(&CheckOptions::base).name) : "the base", " ",
                   Quote(companions ? path : ShownPath(path)), ": ", status.message()));
}

absl::Status BaseInput::Read(const FileGroup& group, const std::string& named) {
  std::vector<ShardSet::Shard> shards;
  const Model* base = nullptr;
  for (const FoundFile& file : group.files) {
    paths_.push_back(file.path);
    const auto model = ReadFile(file);
    if (model.ok() && use_ == kComparisons) {
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
    shards.push_back(
        {names_.back(), *ParseShardName(names_.back()), model.ok() ? *model : nullptr});
  }
  // The file was removed while its folder was listed.
  if (base == nullptr) return absl::NotFoundError("no such file");
  if (group.is_set && base->hparams().may_be_shard()) {
    set_.emplace(std::move(shards));
  }
  const GgufKind kind = base->kind().kind;
  if (use_ == kCompanions && HasOwnLoader(kind)) {
    return absl::InvalidArgumentError(absl::StrCat("is ", KindWords(kind), ", not a model"));
  }
  whole_ = &base->whole();
  model_.emplace(*whole_);
  if (use_ == kComparisons && !model_->why_not_all_tensors().empty()) {
    return absl::InvalidArgumentError(model_->why_not_all_tensors());
  }
  return absl::OkStatus();
}

// Drops the findings of the base itself; only a check of the base reports them.
absl::StatusOr<Model*> BaseInput::ReadFile(const FoundFile& file) {
  if (!file.status.ok()) return file.status;
  auto input = unmapped_ ? Input::OpenUnmapped(file.path, {limits_, {}, nullptr})
                         : Input::Open(file.path, limits_.stream_bytes);
  if (!input.ok()) return input.status();
  inputs_.push_back(*std::move(input));
  Diagnostics unused(0);
  models_.push_back(std::make_unique<Model>(Parse(inputs_.back().source(), limits_, &unused)));
  return models_.back().get();
}

bool BaseInput::changed() const {
  return std::any_of(inputs_.begin(), inputs_.end(),
                     [](const Input& input) { return !input.WhyChanged().empty(); });
}

absl::StatusOr<std::unique_ptr<const Origin>> ReadFolder(const CheckOptions& options,
                                                         InputFiles* files) {
  const std::string& folder = options.source;
  const auto failed = [&](absl::string_view why) {
    return absl::FailedPreconditionError(
        absl::StrCat(options.Named("source"), " ", Quote(folder), ": ", why));
  };
  struct stat status;
  if (stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return failed("no such folder");
    return failed(absl::ErrnoToStatus(errno, "cannot open").message());
  }
  if (!S_ISDIR(status.st_mode)) return failed("is not a folder");
  const auto read = [&](const std::string& name, uint64_t most) -> absl::StatusOr<std::string> {
    const std::string path = absl::StrCat(folder, "/", name);
    const auto file = Input::Open(path, options.limits.stream_bytes, Streams::kAny);
    if (absl::IsNotFound(file.status())) return file.status();
    if (!file.ok()) {
      return absl::Status(file.status().code(),
                          absl::StrCat(Quote(path), ": ", file.status().message()));
    }
    files->Add(path, kOfComparison);
    const Bytes bytes = file->bytes();
    std::string text(AsText(bytes.subspan(0, std::min<uint64_t>(most, bytes.size()))));
    const std::string changed = file->WhyChanged();
    if (!changed.empty()) return absl::AbortedError(changed);
    return text;
  };
  auto source = ReadSource(read);
  if (!source.ok()) return failed(source.status().message());
  return std::make_unique<const Origin>(*std::move(source));
}

}  // namespace gguf
