// Checks of what an architecture requires of keys and tensors.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_ARCHITECTURE_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_ARCHITECTURE_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> ArchitectureChecks();  // architecture_checks.cc
absl::Span<const Check> RequiredKeyChecks();   // required_key_checks.cc
absl::Span<const Check> HparamChecks();        // condition_checks.cc
absl::Span<const Check> HparamValueChecks();   // hparam_value_checks.cc
absl::Span<const Check> ModelTensorChecks();   // model_tensor_checks.cc
absl::Span<const Check> ModelShapeChecks();    // model_shape_checks.cc
absl::Span<const Check> KindChecks();          // kind_checks.cc
absl::Span<const Check> ImageChecks();         // image_checks.cc
absl::Span<const Check> KindValueChecks();     // condition_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_ARCHITECTURE_CHECKS_H_
