// Checks of the tensor data.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_WEIGHTS_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_WEIGHTS_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> WeightChecks();  // weight_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_WEIGHTS_CHECKS_H_
