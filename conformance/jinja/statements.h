// Statements: the words that a {% tag may begin with.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_STATEMENTS_H_
#define GGUF_CONFORMANCE_JINJA_STATEMENTS_H_

#include "absl/strings/string_view.h"

namespace gguf::jinja {

struct Statement {
  absl::string_view name;
  absl::string_view end;   // The word that closes it; empty if none.
  bool is_choice = false;  // Its contents may not run.
  bool is_value = false;   // Its contents become a value.
  bool is_import = false;
};

// Returns null for a word that is not a statement, and for those that close or
// divide one.
const Statement* FindStatement(absl::string_view name);

// Returns whether the word closes a statement.
bool IsEnd(absl::string_view name);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_STATEMENTS_H_
