// Parses lists of rules, and selects the rules of a profile.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_RULE_SELECTION_H_
#define GGUF_CONFORMANCE_CHECK_RULE_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/profile.h"

namespace gguf {

// Returns the rules of a list: ids, or prefixes followed by a star, separated
// by commas.  Old ids are accepted.  InvalidArgument names an entry that
// matches no rule, and suggests the closest id.
absl::StatusOr<std::vector<const Rule*>> ParseRules(absl::string_view list);

// Returns a message about a rule that a list of ParseRules() names by an old
// id; empty when there is none.
std::string OldIdIn(absl::string_view list);

// Returns an error that there is no such rule, with the rules of that prefix or
// the closest id.
absl::Status NoSuchRule(absl::string_view pattern);

// Selects the rules of a profile.  Each entry is a list of rules.  If `select`
// is not empty, only its rules are on; a rule that is off in the profile
// becomes a warning.  `ignore` takes precedence.
absl::StatusOr<Profile> SelectRules(const Profile& base, const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_RULE_SELECTION_H_
