// Checks of files split into shards.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_SHARDS_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_SHARDS_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> SplitChecks();     // split_checks.cc
absl::Span<const Check> ShardSetChecks();  // shard_set_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_SHARDS_CHECKS_H_
