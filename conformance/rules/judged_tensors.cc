// Whether a file is a whole language model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged_tensors.h"

#include "conformance/rules/judged.h"
#include "conformance/rules/reason.h"

namespace gguf {
namespace {

bool HasRows(const Table<TensorRow>::RowsOfOne& rows) {
  return rows.begin() != rows.end();
}

}  // namespace

const TensorRoles* JudgedTensors(const Model& model, Finder& find) {
  const Model& whole = model.whole();
  if (whole.tensors().empty()) return nullptr;
  Reason why = WhyTensorsNotJudged(whole);
  if (why.empty() && !HasRows(kTensors.Of(whole.hparams().architecture()))) {
    why = "there is no table of tensors for this architecture";
  }
  if (why.empty()) return &whole.tensor_roles();
  if (model.is_whole()) find.CannotCheck(why);
  return nullptr;
}

const TensorRoles* JudgedModel(const Model& model, Finder& find) {
  return model.is_whole() ? JudgedTensors(model, find) : nullptr;
}

Range ArchitectureRange(const Model& model) {
  return model.hparams().architecture_key()->value;
}

Subject ArchitectureSubject(const Model& model) {
  return model.hparams().architecture_key()->subject();
}

}  // namespace gguf
