// Checks of chat templates.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TEMPLATE_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_TEMPLATE_CHECKS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

// Why a rule cannot be checked for a template that was not read.
constexpr absl::string_view kTemplatesSkipped =
    "the chat templates exceed the limit on their number or size";

absl::Span<const Check> TemplateChecks();      // template_checks.cc
absl::Span<const Check> TemplateEndChecks();   // template_end_checks.cc
absl::Span<const Check> TemplateNameChecks();  // template_name_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TEMPLATE_CHECKS_H_
