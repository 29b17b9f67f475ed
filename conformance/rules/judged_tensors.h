// JudgedTensors: the tensors of a file, when they are, with those of the other
// shards, those of a whole language model that the tables know.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_

#include "conformance/rules/check.h"
#include "conformance/rules/model.h"
#include "conformance/rules/tensor_roles.h"

namespace gguf {

// Those of model.whole(): a check looks at the tensors of its own file, with
// the roles and hyper-parameters of the whole model.  Null when they are not to
// be judged.  The finder of the whole model then knows why, unless it has no
// tensors: such a model has no rules about them.
const TensorRoles* JudgedTensors(const Model& model, Finder& find);

// The same, for what is said once of the model: null, too, in shards that are
// not the first.
const TensorRoles* JudgedModel(const Model& model, Finder& find);

// Where to report what is missing: general.architecture, which asks for it.
Range ArchitectureRange(const Model& model);
Subject ArchitectureSubject(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
