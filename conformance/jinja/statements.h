// Statements: the words that a {% tag may begin with.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_STATEMENTS_H_
#define GGUF_CONFORMANCE_JINJA_STATEMENTS_H_

#include "absl/strings/string_view.h"

namespace gguf::jinja {

struct Statement {
  absl::string_view name;
  absl::string_view end;   // The word that closes it; empty for none.
  bool is_choice = false;  // What is inside of it may not run.
  bool is_value = false;   // What is inside of it becomes a value.
  bool is_import = false;
};

// Null for a word that is no statement, and for those that close or part one.
const Statement* FindStatement(absl::string_view name);

// Whether it closes a statement.
bool IsEnd(absl::string_view name);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_STATEMENTS_H_
