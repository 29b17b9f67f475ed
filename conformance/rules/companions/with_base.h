// Requirements of checks that compare a file with the model of --base.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_WITH_BASE_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_WITH_BASE_H_

#include "conformance/model/gguf_kind.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"

namespace gguf {

// Returns why a rule about files of another kind does not apply: silent, unless
// --base was given and applies to nothing in this file.
inline Reason NotOfThisKind(const Model& model) {
  const KindFound& found = model.kind();
  if (model.base() == nullptr || (HasBase(found.kind) && !found.of_tensors)) {
    return Reason::Silent();
  }
  return {
      "--base applies only to LoRA adapters, control vectors, projectors and "
      "language models that draft for it",
      Reason::kNotAbout};
}

// Requires a file of this kind, and a base.
template <GgufKind kind>
Reason OnlyWithBase(const Model& model) {
  if (!model.kind().Is(kind)) return NotOfThisKind(model);
  return model.base() != nullptr ? Reason() : Reason::NotRequested();
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_WITH_BASE_H_
