// Checks of a file against its origin.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPARE_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_COMPARE_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> CompareKeyChecks();     // compare_key_checks.cc
absl::Span<const Check> CompareTensorChecks();  // compare_tensor_checks.cc
absl::Span<const Check> CompareWeightChecks();  // compare_weight_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPARE_CHECKS_H_
