// Finds the statements of the documents of the format that a rule checks.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_STATEMENTS_H_
#define GGUF_CONFORMANCE_RULES_STATEMENTS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Returns the lines of the documents from which a rule comes, such as
// "gguf.md 130, 741-743; first draft 6"; empty if no document states the rule.
std::string LinesOf(absl::string_view rule);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_STATEMENTS_H_
