// Whether a file is a whole language model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged_tensors.h"

#include "conformance/rules/judged.h"

namespace gguf {
namespace {

bool HasRows(const Table<TensorRow>::RowsOfOne& rows) {
  return rows.begin() != rows.end();
}

}  // namespace

const TensorRoles* JudgedTensors(const Model& model, Finder& find) {
  if (model.file.tensors.empty()) return nullptr;
  absl::string_view why = WhyTensorsNotJudged(model);
  if (why.empty() && !HasRows(kTensors.Of(model.hparams().architecture()))) {
    why = "there is no table of tensors for this architecture";
  }
  if (why.empty()) return &model.tensor_roles();
  find.CannotCheck(why);
  return nullptr;
}

Range ArchitectureRange(const Model& model) {
  return model.hparams().architecture_key()->value;
}

Subject ArchitectureSubject(const Model& model) {
  return model.hparams().architecture_key()->subject();
}

}  // namespace gguf
