// OnlyWithRoles: requires a whole language model, with all of its shards, that
// the tables know.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_

#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/rules/check.h"

namespace gguf {

// Requires a whole language model with tensors, of an architecture in the
// tables.  A check reads the tensors of its own file, but the tensor_roles()
// and hyperparameters of model.whole().
Reason OnlyWithRoles(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_TENSORS_H_
