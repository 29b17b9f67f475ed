// Requirements for a whole language model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged_tensors.h"

#include "conformance/rules/judged.h"
#include "conformance/tables/tensors.h"

namespace gguf {
namespace {

bool HasRows(const Table<TensorRow>::RowsOfOne& rows) {
  return rows.begin() != rows.end();
}

}  // namespace

Reason OnlyWithRoles(const Model& model) {
  const Model& whole = model.whole();
  if (whole.tensors().empty()) return Reason::Silent();
  Reason why = OnlyWholeModels(whole);
  if (why.empty() && !HasRows(kTensors.Of(whole.hparams().architecture()))) {
    why = "there is no table of tensors for this architecture";
  }
  return why.empty() || model.is_whole() ? why : Reason::Silent();
}

}  // namespace gguf
