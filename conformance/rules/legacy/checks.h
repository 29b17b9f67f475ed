// Checks of the legacy (pre-GGUF) formats.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_LEGACY_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_LEGACY_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> LegacyFormatChecks();  // legacy_format_checks.cc
absl::Span<const Check> LegacyHparamChecks();  // legacy_hparam_checks.cc
absl::Span<const Check> LegacyTensorChecks();  // legacy_tensor_checks.cc
absl::Span<const Check> LegacyLayoutChecks();  // legacy_layout_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_LEGACY_CHECKS_H_
