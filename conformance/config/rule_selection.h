// Lists of rules, and a profile with some rules only, or without some.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_RULE_SELECTION_H_
#define GGUF_CONFORMANCE_CONFIG_RULE_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/engine/profile.h"

namespace gguf {

// The rules that a list stands for: ids, or the beginnings of some followed by
// a star, separated by commas.  Old ids are understood.  InvalidArgument names
// an entry that fits no rule, and what it was probably meant to be.
absl::StatusOr<std::vector<const Rule*>> ParseRules(absl::string_view list);

// Says which rule a list of ParseRules() names by an old id; empty when it
// names none so.
std::string OldIdIn(absl::string_view list);

// Says that there is no such rule, and which ones begin so, or which was
// probably meant.
absl::Status NoSuchRule(absl::string_view pattern);

// Each entry is a list of rules.  With `select` not empty, only those are on;
// one that the profile has off comes on as a warning.  `ignore` beats it.
absl::StatusOr<Profile> SelectRules(const Profile& base,
                                    const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_RULE_SELECTION_H_
