// FindingsOf: what some rules say of a file with a name, for tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TESTING_FINDINGS_OF_H_
#define GGUF_CONFORMANCE_RULES_TESTING_FINDINGS_OF_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {

// The findings of the rules in `section`, as "error key-known kv[x].key" or,
// with `messages`, as "kv[x].key is no ...", in the order of the report.
struct FindingsOf {
  std::vector<std::string> section;  // Rule ids.

  std::vector<std::string> In(const GgufBuilder& file,
                              absl::string_view profile = "upload",
                              absl::string_view name = "") const;
  std::vector<std::string> MessagesIn(const GgufBuilder& file,
                                      absl::string_view profile = "upload",
                                      absl::string_view name = "") const;
  // "rule: why" of those that could not be judged.
  std::vector<std::string> NotCheckedIn(const GgufBuilder& file,
                                        absl::string_view profile = "upload",
                                        absl::string_view name = "") const;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TESTING_FINDINGS_OF_H_
