// Parses the table, which the build embeds as a text.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine/statements.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "parser/core/assert.h"

namespace gguf {

extern const char kStatementsTable[];  // statements_table.cc

namespace {

std::vector<Statement> ParseTable(absl::string_view table) {
  std::vector<Statement> statements;
  bool is_header = true;
  for (const absl::string_view row : absl::StrSplit(table, '\n')) {
    if (row.empty() || row[0] == '#') continue;
    if (std::exchange(is_header, false)) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(row, '\t');
    Statement statement;
    Assert(cells.size() == 6 && absl::SimpleAtoi(cells[1], &statement.line),
           "docs/statements.tsv has a malformed row");
    statement.document = cells[0];
    statement.text = cells[2];
    statement.rules = absl::StrSplit(cells[3], ',', absl::SkipEmpty());
    statement.case_id = cells[4];
    statement.why = cells[5];
    statements.push_back(std::move(statement));
  }
  return statements;
}

}  // namespace

const std::vector<Statement>& Statements() {
  static const auto& all =
      *new std::vector<Statement>(ParseTable(kStatementsTable));
  return all;
}

std::string LinesOf(absl::string_view rule) {
  struct Lines {
    absl::string_view document;
    int first;
    int last;
  };
  std::vector<Lines> all;
  for (const Statement& statement : Statements()) {
    if (!absl::c_linear_search(statement.rules, rule)) continue;
    const bool continues = !all.empty() &&
                           all.back().document == statement.document &&
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
