// Evaluates the requirements of a rule.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/check.h"

namespace gguf {
namespace {

bool IsGiven(Against against, const CheckContext& context) {
  switch (against) {
    case Against::kOrigin:
      return context.comparison != nullptr;
    case Against::kDigests:
      return context.compares_digests;
    case Against::kSha256:
      return context.compares_sha256;
    default:
      return true;  // The rules have requirements that tell why not.
  }
}

}  // namespace

Reason WhyNot(const Rule& rule, const CheckContext& context) {
  if (!IsGiven(rule.against, context)) return Reason::NotRequested();
  for (const Requirement& requirement : rule.requirements) {
    Reason why;
    if (requirement.of_model != nullptr) {
      why = requirement.of_model(context.model);
    } else if (requirement.of_context != nullptr) {
      why = requirement.of_context(context);
    }
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace gguf
