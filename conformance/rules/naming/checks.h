// Checks of file names.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAMING_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_NAMING_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> FileNameChecks();
absl::Span<const Check> NameContentChecks();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAMING_CHECKS_H_
