// --select and --ignore: a profile with some rules only, or without some.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_RULE_SELECTION_H_
#define GGUF_CLI_RULE_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/rules/profile.h"

namespace gguf {

// Each entry is a list of rule ids, or beginnings of some with a star behind,
// separated by commas.  A selected rule that the profile has off comes on as a
// warning.  InvalidArgument names an entry that fits no rule, and what it was
// probably meant to be.
absl::StatusOr<Profile> SelectRules(const Profile& base,
                                    const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore);

}  // namespace gguf

#endif  // GGUF_CLI_RULE_SELECTION_H_
