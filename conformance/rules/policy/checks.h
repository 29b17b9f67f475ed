// Checks of what a configuration or a digest manifest demands.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_POLICY_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_POLICY_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> PolicyChecks();  // policy_checks.cc
absl::Span<const Check> DigestChecks();  // digest_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_POLICY_CHECKS_H_
