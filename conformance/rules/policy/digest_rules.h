// The rules that compare a file with a manifest of digests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_POLICY_DIGEST_RULES_H_
#define GGUF_CONFORMANCE_RULES_POLICY_DIGEST_RULES_H_

#include "absl/types/span.h"
#include "parser/core/rule.h"

namespace gguf {

// Returns the rules, which are off in all profiles: a user with a manifest
// (ValidateOptions::digests) turns them on.
absl::Span<const Rule* const> DigestRules();

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_POLICY_DIGEST_RULES_H_
