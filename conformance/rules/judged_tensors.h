// OnlyWithRoles: the files whose tensors are, with those of the other shards,
// those of a whole language model that the tables know.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_

#include "conformance/rules/check.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"

namespace gguf {

// A check looks at the tensors of its own file, with the tensor_roles() and
// hyper-parameters of model.whole().  A model without tensors has no rules
// about them.
Reason OnlyWithRoles(const Model& model);

// Where to report what is missing: general.architecture, which asks for it.
Range ArchitectureRange(const Model& model);
Subject ArchitectureSubject(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
