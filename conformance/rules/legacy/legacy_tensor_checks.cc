// Checks of the tensors of legacy (pre-GGUF) files.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/rules/legacy/checks.h"
#include "conformance/rules/legacy/legacy_names.h"

namespace gguf {
namespace {

// Returns where to report something that the file as a whole lacks.
Range LastHparam(const Model& model) {
  return model.file.legacy->hparams.back().where;
}

// Requires a whole model: llama.cpp's first formats split the larger ones into
// 2, 4 or 8 files and cut their matrices.
Reason OnlyUncut(const Model& model) {
  const Field<uint32_t>* n_embd = model.file.legacy->Find("n_embd");
  const TensorInfo* embedding = model.FindTensor("tok_embeddings.weight");
  if (n_embd == nullptr || embedding == nullptr) return {};
  constexpr std::pair<uint32_t, uint32_t> kParts[] = {
      {5120, 2}, {6656, 4}, {8192, 8}};
  for (const auto& [width, parts] : kParts) {
    if (n_embd->value == width && embedding->dims[0] == width / parts) {
      return "one part of a model: its matrices are cut";
    }
  }
  return {};
}

constexpr Rule kTensorNamesKnown = {
    "legacy-tensor-names-known",
    Severities().Upload(kWarning).Spec(kWarning),
    "The tensors should be those that the readers of the format look up.",
    "whisper.cpp refuses a file with any other tensor; other readers skip such "
    "a tensor, and then lack the one that was intended.",
    "Name the tensor as the reader does, or leave it out.",
    "Not in the specification; the tensor names in whisper.cpp, rwkv.cpp and "
    "llama.cpp's reader of 2023; those in rwkv.cpp depend on the version of "
    "RWKV."};

void TensorNamesKnown(const Model& model, Finder& find) {
  const LegacyNames names(model);
  if (!names.why_incomplete().empty()) {
    return find.CannotCheck(names.why_incomplete());
  }
  for (const TensorInfo& tensor : model.file.tensors) {
    if (names.Find(tensor.name.value) != nullptr) continue;
    find(tensor.at_name(), "{name} is not a tensor of this family",
         {{"name", tensor.name.value}});
  }
}

constexpr Rule kTensorsPresent = {
    "legacy-tensors-present",
    Severities().Upload(kError).Spec(kWarning).Safety(kWarning),
    "A file shall have all tensors that its readers look up, unless it is only "
    "a vocabulary.",
    "Some readers refuse the file; others use a tensor that does not exist.",
    "Convert the model again, and write its number of layers as n_layer.",
    "Not in the specification; whisper.cpp, rwkv.cpp and llama.cpp's reader of "
    "2023 refuse the file."};

void TensorsPresent(const Model& model, Finder& find) {
  if (model.file.tensors.empty()) {
    const bool is_read = model.file.progress == Progress::kTensors;
    if (!is_read || model.file.legacy->vocabulary.size() > 0) return;
    return find(LastHparam(model), {"file", false, 0, {}, "tensors"},
                "are missing, and so are tokens", {});
  }
  const LegacyNames names(model);
  if (!names.why_incomplete().empty()) {
    return find.CannotCheck(names.why_incomplete());
  }
  if (model.file.progress < Progress::kTensors) return;
  const auto missing = names.FindMissing();
  if (!missing) return;
  find(LastHparam(model), {"file", false, 0, {}, "tensors"},
       "lack {name}, for example", {{"name", absl::string_view(*missing)}});
}

constexpr Rule kBlockNumbers = {
    "legacy-block-numbers",
    Severities().Upload(kError).Spec(kWarning).Safety(kWarning),
    "The block number in a tensor's name shall be below the number of blocks "
    "that the header states.",
    "Readers allocate memory for the stated number of blocks and refuse the "
    "tensor, or write past the end of this memory.",
    "Write the model's number of layers into the header.",
    "Not in the specification; readers build their tables from the header's "
    "number."};

void BlockNumbers(const Model& model, Finder& find) {
  const LegacyNames names(model);
  for (const TensorInfo& tensor : model.file.tensors) {
    const auto block = names.BlockOf(tensor.name.value);
    if (!block) continue;
    const uint32_t count = model.file.legacy->Find(block->hparam)->value;
    if (block->number < count) continue;
    find(tensor.at_name(), "is of block {block}, but {hparam} is {count}",
         {{"block", block->number},
          {"hparam", Word{block->hparam}},
          {"count", count}});
  }
}

// RWKV's heads share the width of the model.
void FindBadHeads(const LegacyNames& names, const Model& model, Finder& find) {
  const auto heads = names.FindHeads();
  if (!heads || heads->width) return;
  find(heads->tensor->at_dims(),
       "are {dims}, for {heads} heads, but n_embed is {n_embed}",
       {{"dims", Word{heads->tensor->ShapeText()}},
        {"heads", heads->count},
        {"n_embed", model.file.legacy->Find("n_embed")->value}});
}

constexpr Rule kTensorShapes = {
    "legacy-tensor-shapes",
    Severities().Upload(kError).Spec(kWarning).Safety(kError),
    "A tensor's dimensions shall follow from the hyperparameters.",
    "Readers refuse the file, or read past the end of a tensor that is smaller "
    "than they assume.",
    "Convert the model again, so that header and tensors belong to the same "
    "model.",
    "Not in the specification; whisper.cpp, rwkv.cpp and llama.cpp's reader of "
    "2023 refuse the file."};

void TensorShapes(const Model& model, Finder& find) {
  const LegacyNames names(model);
  if (!names.why_incomplete().empty()) {
    find.CannotCheck(names.why_incomplete());
  }
  for (const TensorInfo& tensor : model.file.tensors) {
    const LegacyTensorRow* row = names.Find(tensor.name.value);
    // The number of dimensions has a rule of its own.
    if (row == nullptr ||
        tensor.n_dims.value < model.file.legacy->family->least_dims) {
      continue;
    }
    std::vector<std::string> wanted;
    bool fits = true;
    const LegacyNames::Shape shape = names.ShapeOf(tensor.name.value, *row);
    for (uint32_t i = 0; i < 3; ++i) {
      const auto& size = shape[i];
      const uint64_t dim = i < tensor.rank() ? tensor.dims[i] : 1;
      fits &= !size || *size == dim;
      wanted.push_back(size ? absl::StrCat(*size) : "any");
    }
    if (fits) continue;
    while (wanted.size() > 1 && wanted.back() == "1") wanted.pop_back();
    find(tensor.at_dims(), "are {dims}, not [{wanted}]",
         {{"dims", Word{tensor.ShapeText()}},
          {"wanted", Word{absl::StrJoin(wanted, ", ")}}});
  }
  FindBadHeads(names, model, find);
}

constexpr Check kChecks[] = {
    {&kTensorNamesKnown, Needs::kTensors, TensorNamesKnown, Files::kLegacy},
    {&kTensorsPresent, Needs::kTensors, TensorsPresent, Files::kLegacy},
    {&kBlockNumbers, Needs::kTensors, BlockNumbers, Files::kLegacy},
    {&kTensorShapes, Needs::kTensors, TensorShapes, Files::kLegacy, OnlyUncut},
};

}  // namespace

absl::Span<const Check> LegacyTensorChecks() { return kChecks; }

}  // namespace gguf
