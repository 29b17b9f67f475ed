// Writes the report as GitHub Markdown.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/readers/report/reports.h"
#include "conformance/report/escape.h"

namespace gguf::readers {
namespace {

constexpr size_t kShownCases = 5;     // Per group.
constexpr size_t kShownGroups = 200;  // GitHub accepts 1 MiB.

using Cells = std::vector<std::string>;

void AppendHead(const Cells& cells, std::string* out) {
  *out += MarkdownRow(cells);
  *out += MarkdownRow(Cells(cells.size(), "---"));
}

Cells Labels(const Matrix& matrix, const char* first) {
  Cells cells = {first};
  for (const Column& column : matrix.columns) {
    cells.push_back(MarkdownCode(column.run->label));
  }
  return cells;
}

void AppendScores(const Matrix& matrix, std::string* out) {
  AppendHead(Labels(matrix, "passed of tested"), out);
  Cells all = {"**all cases**"}, dates = {"run"}, suites = {"suite"};
  Cells unsafe = {"unsafe cases"};
  for (const Column& column : matrix.columns) {
    const RunHeader& header = column.run->header;
    all.push_back(absl::StrCat("**", ScoreText(column.score), "**"));
    dates.push_back(MarkdownCode(header.date));
    suites.push_back(MarkdownCode(header.corpus.version));
    unsafe.push_back(column.unsafe.empty()
                         ? "0"
                         : MarkdownCode(OutcomeCounts(column.unsafe)));
  }
  *out += MarkdownRow(all);
  for (size_t i = 0; i < kLevels; ++i) {
    Cells cells = {absl::StrCat(LevelName(i), " ", LevelTitle(i))};
    for (const Column& column : matrix.columns) {
      cells.push_back(ScoreText(column.levels[i]));
    }
    *out += MarkdownRow(cells);
  }
  *out += MarkdownRow(unsafe);
  *out += MarkdownRow(suites);
  *out += MarkdownRow(dates);
}

void AppendGroup(const MatrixGroup& group, const Matrix& matrix,
                 std::string* out) {
  Cells cells = {absl::StrCat(MarkdownCode(group.section), ", ",
                              group.rows.size(), ", ", group.importance)};
  for (const CaseRecord* cell : group.cells) {
    cells.push_back(MarkdownCode(CellText(cell)));
  }
  Cells ids;
  for (const size_t row : group.rows) {
    if (ids.size() == kShownCases) break;
    ids.push_back(MarkdownCode(matrix.rows[row].about->id));
  }
  if (ids.size() < group.rows.size()) ids.push_back("...");
  cells.push_back(absl::StrJoin(ids, " "));
  *out += MarkdownRow(cells);
}

void AppendMatrix(const Matrix& matrix, std::string* out) {
  Cells head = Labels(matrix, "section, cases, importance");
  head.push_back("cases");
  AppendHead(head, out);
  for (size_t i = 0; i < matrix.groups.size() && i < kShownGroups; ++i) {
    AppendGroup(matrix.groups[i], matrix, out);
  }
  if (matrix.groups.size() > kShownGroups) {
    absl::StrAppend(out, "\n", matrix.groups.size() - kShownGroups,
                    " more groups are not shown here.\n");
  }
}

void AppendFlags(const Matrix& matrix, std::string* out) {
  AppendHead(Labels(matrix, "flag"), out);
  for (const FlagRow& flag : matrix.flags) {
    Cells cells = {MarkdownCode(flag.flag)};
    for (const auto& outcomes : flag.outcomes) {
      const std::string counts = OutcomeCounts(outcomes);
      cells.push_back(counts.empty() ? "" : MarkdownCode(counts));
    }
    *out += MarkdownRow(cells);
  }
}

}  // namespace

std::string MarkdownReport(const Matrix& matrix) {
  std::string out = "## Readers of GGUF over the conformance suite\n\n";
  if (!matrix.problems.empty()) {
    out += "> **Not complete:**\n";
    for (const std::string& problem : matrix.problems) {
      absl::StrAppend(&out, "> - ", MarkdownCode(problem), "\n");
    }
    out += "\n";
  }
  AppendScores(matrix, &out);
  out += "\n### Cases grouped by result, worst first\n\n";
  AppendMatrix(matrix, &out);
  if (!matrix.flags.empty()) {
    out += "\n### Implementation-defined cases: outcomes by flag\n\n";
    AppendFlags(matrix, &out);
  }
  return out;
}

}  // namespace gguf::readers
