// Statement: something that a document of the format says about files, and the
// rules that check it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_STATEMENTS_H_
#define GGUF_CONFORMANCE_ENGINE_STATEMENTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// A row of docs/statements.tsv, which explains the columns.
struct Statement {
  absl::string_view document;
  int line;
  absl::string_view text;
  std::vector<absl::string_view> rules;
  absl::string_view case_id;  // Empty without rules.
  absl::string_view why;      // Why there is no rule.
};

// Returns all statements, in the order of the table.
const std::vector<Statement>& Statements();

// Returns the lines of the documents from which a rule comes, such as
// "gguf.md 130, 741-743; first draft 6"; empty if no document states the rule.
std::string LinesOf(absl::string_view rule);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_STATEMENTS_H_
