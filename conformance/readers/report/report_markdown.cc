// Writes reports as GitHub Markdown: on runs, and on what changed between two.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "conformance/base/escape.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"

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
  TextTable rows = ScoreTable(matrix);
  for (std::string& all : rows[0]) all = absl::StrCat("**", all, "**");
  Cells unsafe = {"unsafe cases"}, suites = {"suite"}, dates = {"run"};
  for (const Column& column : matrix.columns) {
    const RunHeader& header = column.run->header;
    unsafe.push_back(column.unsafe.empty() ? "0" : MarkdownCode(OutcomeCounts(column.unsafe)));
    suites.push_back(MarkdownCode(header.corpus.version));
    dates.push_back(MarkdownCode(header.date));
  }
  rows.insert(rows.end(), {unsafe, suites, dates});
  for (const Cells& row : rows) *out += MarkdownRow(row);
}

void AppendGroup(const MatrixGroup& group, const Matrix& matrix, std::string* out) {
  Cells cells = {
      absl::StrCat(MarkdownCode(group.section), ", ", group.rows.size(), ", ", group.importance)};
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
  for (Cells& row : FlagTable(matrix)) {
    row[0] = MarkdownCode(row[0]);
    for (size_t i = 1; i < row.size(); ++i) {
      if (!row[i].empty()) row[i] = MarkdownCode(row[i]);
    }
    *out += MarkdownRow(row);
  }
}

constexpr size_t kShownChanges = 30;  // Of each kind.

bool Same(const CaseRecord& a, const CaseRecord& b) {
  return a.result == b.result && a.outcome == b.outcome;
}

// Whether the reader fails the case.  One that is listed as a known failure and
// passes makes the run fail, but is no failure.
bool Fails(const CaseRecord& record) {
  const CaseResultInfo& info = InfoOf(record.result);
  return info.unexpected && !info.passed;
}

// Returns the result as a code span: "`false-accept`", "`info: reject`".
std::string ResultOf(const CaseRecord* record) {
  return record == nullptr ? "not run" : MarkdownCode(CellText(record));
}

// Writes cases with what the reader does now.
void AppendCases(absl::string_view title, const std::vector<Changes::Change>& changes,
                 std::string* out) {
  if (changes.empty()) return;
  absl::StrAppend(out, "\n### ", title, ": ", changes.size(), "\n\n");
  for (size_t i = 0; i < changes.size() && i < kShownChanges; ++i) {
    const auto& [before, after] = changes[i];
    absl::StrAppend(out, "- ", MarkdownCode(after->id), ": ", ResultOf(before), " → ",
                    ResultOf(after));
    if (Fails(*after)) {
      const std::string words = absl::StrCat(WhatItDid(*after), " ", WhatItShould(*after));
      absl::StrAppend(out, "; ", MarkdownCode(after->title), ". ", MarkdownCode(words));
    }
    *out += "\n";
  }
  if (changes.size() > kShownChanges) {
    absl::StrAppend(out, "- and ", changes.size() - kShownChanges, " more\n");
  }
}

// Returns "12 of 15 judged cases pass".
std::string Passed(const ReaderRun& run) {
  size_t judged = 0, passed = 0;
  for (const CaseRecord& record : run.cases) {
    judged += InfoOf(record.result).judged;
    passed += InfoOf(record.result).passed;
  }
  return absl::StrCat(passed, " of ", Counted(judged, "judged case"), " pass");
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

Changes FindChanges(const ReaderRun& before, const ReaderRun& after) {
  std::map<absl::string_view, const CaseRecord*> earlier;
  for (const CaseRecord& record : before.cases) earlier[record.id] = &record;
  Changes changes;
  for (const CaseRecord& record : after.cases) {
    const auto found = earlier.find(record.id);
    const CaseRecord* const was = found == earlier.end() ? nullptr : found->second;
    if (was != nullptr) earlier.erase(found);
    const bool fails = Fails(record);
    if (was == nullptr) {
      if (fails) changes.added.push_back({was, &record});
    } else if (fails && !Fails(*was)) {
      changes.broken.push_back({was, &record});
    } else if (Fails(*was) && record.result == CaseResult::kXfail) {
      changes.listed.push_back({was, &record});
    } else if (!fails && Fails(*was)) {
      changes.fixed.push_back({was, &record});
    } else if (!Same(*was, record)) {
      changes.other.push_back({was, &record});
    }
  }
  for (const auto& [id, record] : earlier) changes.removed.push_back(record);
  return changes;
}

std::string ChangesReport(const ReaderRun& before, const ReaderRun& after) {
  const Changes changes = FindChanges(before, after);
  std::string out = absl::StrCat(
      "## ", MarkdownCode(after.label), " over the GGUF conformance suite\n\n", Passed(after),
      "; in the run of ", MarkdownCode(before.header.date), ", ", Passed(before), ".\n");
  if (!changes.removed.empty()) {
    absl::StrAppend(&out, "\n", Counted(changes.removed.size(), "case"),
                    " of that run did not run now.\n");
  }
  for (const std::string& problem : after.problems) {
    absl::StrAppend(&out, "\n**Not complete:** ", MarkdownCode(problem), "\n");
  }
  const std::pair<const char*, const std::vector<Changes::Change>*> lists[] = {
      {"New failures", &changes.broken},
      {"Failures of cases that are new", &changes.added},
      {"Fixed", &changes.fixed},
      {"Now listed as known failures", &changes.listed},
      {"Other changes", &changes.other}};
  bool changed = false;
  for (const auto& [title, list] : lists) {
    AppendCases(title, *list, &out);
    changed |= !list->empty();
  }
  if (!changed) out += "\nNothing changed.\n";
  return out;
}

}  // namespace gguf::readers
