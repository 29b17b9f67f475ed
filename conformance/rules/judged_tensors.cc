// Whether a file is a whole language model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged_tensors.h"

#include "conformance/rules/tables/architectures.h"

namespace gguf {
namespace {

// Null when there is no reason.
const char* WhyNotJudged(const Hparams& hparams) {
  if (hparams.architecture_key() == nullptr) {
    return "general.architecture is missing or no string";
  }
  const auto type = hparams.Text(Symbol::kGeneralType);
  if (hparams.architecture_name() == "clip" ||
      (type &&
       (*type == "imatrix" || *type == "adapter" || *type == "mmproj"))) {
    return "the file is no language model";
  }
  if (hparams.Get(Symbol::kSplitCount).value_or(2) > 1) {
    return "the file is one shard of a model";
  }
  const auto rows = kTensors.Of(hparams.architecture());
  if (!(rows.begin() != rows.end())) {
    return "there is no table of tensors for this architecture";
  }
  return nullptr;
}

}  // namespace

const TensorRoles* JudgedTensors(const Model& model, Finder& find) {
  if (model.file.tensors.empty()) return nullptr;
  if (model.file.progress < Progress::kTensors) return nullptr;
  if (const char* why = WhyNotJudged(model.hparams())) {
    find.CannotCheck(why);
    return nullptr;
  }
  return &model.tensor_roles();
}

Range ArchitectureRange(const Model& model) {
  return model.hparams().architecture_key()->value;
}

Subject ArchitectureSubject(const Model& model) {
  return model.hparams().architecture_key()->subject();
}

}  // namespace gguf
