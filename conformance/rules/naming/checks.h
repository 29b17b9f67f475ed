// Checks of file names.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_NAMING_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> FileNameChecks();     // file_name_checks.cc
absl::Span<const Check> NameEndingChecks();   // file_name_checks.cc
absl::Span<const Check> NameContentChecks();  // name_content_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_CHECKS_H_
