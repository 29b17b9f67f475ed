// JudgedTensors: the tensors of a file, when they are those of a whole language
// model that the tables know.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_

#include "conformance/rules/check.h"
#include "conformance/rules/model.h"
#include "conformance/rules/tensor_roles.h"

namespace gguf {

// Null when they are not to be judged.  The finder then knows why, unless the
// file has no tensors: such a file has no rules about them.
const TensorRoles* JudgedTensors(const Model& model, Finder& find);

// Where to report what is missing: general.architecture, which asks for it.
Range ArchitectureRange(const Model& model);
Subject ArchitectureSubject(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
