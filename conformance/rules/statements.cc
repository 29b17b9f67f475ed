// Reads the rows of docs/statements.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/statements.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/tables/statements.h"

namespace gguf {

std::string LinesOf(absl::string_view rule) {
  struct Lines {
    absl::string_view document;
    int first;
    int last;
  };
  std::vector<Lines> all;
  for (const Statement& statement : kStatements) {
    if (!statement.rules.Has(rule)) continue;
    const bool continues = !all.empty() && all.back().document == statement.document &&
                           statement.line <= all.back().last + 1;
    if (continues) {
      all.back().last = statement.line;
    } else {
      all.push_back({statement.document, statement.line, statement.line});
    }
  }
  std::string text;
  absl::string_view document;
  for (const Lines& lines : all) {
    if (lines.document == document) {
      absl::StrAppend(&text, ", ");
    } else {
      absl::StrAppend(&text, text.empty() ? "" : "; ", lines.document, " ");
    }
    document = lines.document;
    absl::StrAppend(&text, lines.first);
    if (lines.last > lines.first) absl::StrAppend(&text, "-", lines.last);
  }
  return text;
}

}  // namespace gguf
