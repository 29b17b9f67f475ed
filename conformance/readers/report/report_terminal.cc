// Writes the report for a terminal: numbered readers, scores, and the matrix.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "conformance/readers/report/reports.h"

namespace gguf::readers {
namespace {

constexpr size_t kShownCases = 6;  // Per group.

using TableRow = std::vector<std::string>;

std::string Bold(absl::string_view text, const TextStyle& style) {
  return style.color ? absl::StrCat("\x1b[1m", text, "\x1b[0m") : std::string(text);
}

// Colours a result by rank: red for failures, green for passes.
std::string Coloured(const std::string& text, const CaseRecord* cell, const TextStyle& style) {
  if (!style.color || cell == nullptr) return text;
  const CaseResultInfo& info = InfoOf(cell->result);
  const char* color = info.rank == 0                ? "1;31"
                      : info.judged && !info.passed ? "31"
                      : info.passed                 ? "32"
                                                    : "33";
  return absl::StrCat("\x1b[", color, "m", text, "\x1b[0m");
}

std::vector<size_t> Widths(const TextTable& rows) {
  std::vector<size_t> widths;
  for (const TableRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  return widths;
}

// Writes one line; `cells` determine the colours of the last columns.
void AppendLine(const TableRow& row, const std::vector<size_t>& widths,
                absl::Span<const CaseRecord* const> cells, const TextStyle& style,
                std::string* out) {
  const size_t plain = row.size() - cells.size();
  for (size_t i = 0; i < row.size(); ++i) {
    absl::StrAppend(out, "  ", i < plain ? row[i] : Coloured(row[i], cells[i - plain], style));
    if (i + 1 < row.size()) out->append(widths[i] - row[i].size(), ' ');
  }
  absl::StrAppend(out, "\n");
}

void AppendReaders(const Matrix& matrix, const TextStyle& style, std::string* out) {
  for (size_t i = 0; i < matrix.columns.size(); ++i) {
    const ReaderRun& run = *matrix.columns[i].run;
    absl::StrAppend(out,
                    Wrap(absl::StrFormat("  [%u] %s: %u cases in %.1f s on %s; suite %s, %s %s",
                                         i + 1, run.label, run.cases.size(), run.seconds,
                                         run.header.date, run.header.corpus.version,
                                         run.header.tool.name, run.header.tool.version),
                         style.width, 6),
                    "\n");
  }
}

std::string ReaderNumber(size_t column) { return absl::StrCat("[", column + 1, "]"); }

// Returns a first row with the numbers of the readers.
TableRow Head(const Matrix& matrix, TableRow row) {
  for (size_t i = 0; i < matrix.columns.size(); ++i) {
    row.push_back(ReaderNumber(i));
  }
  return row;
}

void AppendTable(TableRow head, TextTable rows, std::string* out) {
  rows.insert(rows.begin(), std::move(head));
  const std::vector<size_t> widths = Widths(rows);
  for (const TableRow& row : rows) AppendLine(row, widths, {}, {}, out);
}

void AppendScores(const Matrix& matrix, std::string* out) {
  TextTable rows = ScoreTable(matrix);
  for (const CaseResultInfo& info : CaseResults()) {
    TableRow row = {info.name};
    uint64_t total = 0;
    for (const Column& column : matrix.columns) {
      const uint64_t count = CountOf(info.result, column);
      row.push_back(absl::StrCat(count));
      total += count;
    }
    if (total > 0) rows.push_back(std::move(row));
  }
  AppendTable(Head(matrix, {"passed of tested"}), std::move(rows), out);
}

// Writes the unsafe outcomes of each reader.
void AppendUnsafe(const Matrix& matrix, const TextStyle& style, std::string* out) {
  for (size_t i = 0; i < matrix.columns.size(); ++i) {
    const Column& column = matrix.columns[i];
    if (column.unsafe.empty()) continue;
    const std::string line =
        absl::StrCat("  ", ReaderNumber(i), " unsafe: ", OutcomeCounts(column.unsafe));
    absl::StrAppend(out, Wrap(line, style.width, 6), "\n");
  }
}

// Writes the ids of the first cases of a group, unless all passed.
void AppendIds(const MatrixGroup& group, const Matrix& matrix, const TextStyle& style,
               std::string* out) {
  if (absl::c_all_of(group.cells, [](const CaseRecord* cell) {
        return cell && cell->result == CaseResult::kPass;
      })) {
    return;
  }
  std::string line = "     ";
  const size_t shown = std::min(group.rows.size(), kShownCases);
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&line, " ", matrix.rows[group.rows[i]].about->id);
  }
  if (shown < group.rows.size()) {
    absl::StrAppend(&line, " and ", group.rows.size() - shown, " more");
  }
  absl::StrAppend(out, Wrap(line, style.width, 6), "\n");
}

void AppendMatrix(const Matrix& matrix, const TextStyle& style, std::string* out) {
  TextTable rows = {Head(matrix, {"section, cases", "importance"})};
  for (const MatrixGroup& group : matrix.groups) {
    TableRow row = {absl::StrCat(group.section, ", ", group.rows.size()), group.importance};
    for (const CaseRecord* cell : group.cells) {
      row.push_back(CellText(cell));
    }
    rows.push_back(std::move(row));
  }
  const std::vector<size_t> widths = Widths(rows);
  AppendLine(rows[0], widths, {}, style, out);
  for (size_t i = 0; i < matrix.groups.size(); ++i) {
    const MatrixGroup& group = matrix.groups[i];
    AppendLine(rows[1 + i], widths, group.cells, style, out);
    AppendIds(group, matrix, style, out);
  }
}

}  // namespace

std::string TerminalReport(const Matrix& matrix, const TextStyle& style) {
  std::string out = absl::StrCat(Bold("Readers of GGUF over the conformance suite", style), "\n\n");
  AppendReaders(matrix, style, &out);
  if (!matrix.problems.empty()) {
    absl::StrAppend(&out, "\n", Bold("NOT COMPLETE", style), "\n");
    for (const std::string& problem : matrix.problems) {
      absl::StrAppend(&out, Wrap(absl::StrCat("  ", problem), style.width, 4), "\n");
    }
  }
  absl::StrAppend(&out, "\n");
  AppendScores(matrix, &out);
  AppendUnsafe(matrix, style, &out);
  absl::StrAppend(&out, "\n", Bold("Cases grouped by result, worst first", style), "\n\n");
  AppendMatrix(matrix, style, &out);
  if (!matrix.flags.empty()) {
    absl::StrAppend(&out, "\n", Bold("Implementation-defined cases: outcomes by flag", style),
                    "\n\n");
    AppendTable(Head(matrix, {"flag"}), FlagTable(matrix), &out);
  }
  return out;
}

}  // namespace gguf::readers
