// Checks of the keys and their values.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_METADATA_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_METADATA_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> KeyChecks();           // key_checks.cc
absl::Span<const Check> ValueChecks();         // value_checks.cc
absl::Span<const Check> StandardKeyChecks();   // standard_key_checks.cc
absl::Span<const Check> KeyStatusChecks();     // key_status_checks.cc
absl::Span<const Check> ValueFormatChecks();   // value_format_checks.cc
absl::Span<const Check> RangeChecks();         // range_checks.cc
absl::Span<const Check> QuantizationChecks();  // quantization_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_METADATA_CHECKS_H_
