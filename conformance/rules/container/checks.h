// Checks of the container: header, tensor table, layout.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_CONTAINER_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_CONTAINER_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> HeaderChecks();       // header_checks.cc
absl::Span<const Check> AlignmentChecks();    // alignment_checks.cc
absl::Span<const Check> TensorNameChecks();   // tensor_name_checks.cc
absl::Span<const Check> TensorShapeChecks();  // tensor_shape_checks.cc
absl::Span<const Check> LayoutChecks();       // layout_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_CONTAINER_CHECKS_H_
