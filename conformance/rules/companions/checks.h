// Checks of adapters, control vectors, importance matrices, projectors and
// draft models.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> LoraChecks();           // lora_checks.cc
absl::Span<const Check> ControlVectorChecks();  // control_vector_checks.cc
absl::Span<const Check> ImatrixChecks();        // imatrix_checks.cc
absl::Span<const Check> ProjectorChecks();      // projector_checks.cc
absl::Span<const Check> BaseChecks();           // base_checks.cc
absl::Span<const Check> DraftChecks();          // draft_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_CHECKS_H_
