// Writes the report as a page: tables that are readable without a script, and
// the same data for the page's script (page/).
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/escape.h"
#include "conformance/base/page_source.h"
#include "conformance/readers/page/page.h"
#include "conformance/readers/report/matrix.h"
#include "conformance/readers/report/reports.h"

namespace gguf::readers {
namespace {

// The page contains fewer bytes of cases than a log, to stay small.
constexpr JsonStyle kPageData = {-1, 256, 2048};

// Escapes JSON for a script element, so that nothing in it ends the element.
std::string ScriptJson(absl::string_view json) {
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}, {">", "\\u003e"}});
}

std::string About(const Matrix& matrix) {
  std::vector<std::string> parts = {Counted(matrix.rows.size(), "case"),
                                    Counted(matrix.columns.size(), "reader")};
  if (!matrix.columns.empty()) {
    const RunHeader& header = matrix.columns.front().run->header;
    parts.push_back(absl::StrCat("suite ", header.corpus.version));
    parts.push_back(absl::StrCat("run ", header.date.substr(0, 10)));
  }
  return HtmlText(absl::StrJoin(parts, " · "));
}

std::string Problems(const Matrix& matrix) {
  if (matrix.problems.empty()) return "";
  std::string out = "<section class=\"alert\" role=\"alert\"><strong>Not complete</strong><ul>";
  for (const std::string& problem : matrix.problems) {
    absl::StrAppend(&out, "<li>", HtmlText(problem), "</li>");
  }
  return out + "</ul></section>";
}

// Returns a link that opens the details of a case.
std::string CaseLink(const std::string& id, const std::string& label) {
  return absl::StrCat("<a href=\"#case=", UriPath(id), "&amp;cell=", UriPath(label), "\">",
                      HtmlText(id), "</a>");
}

// Returns the last line that is not empty.
std::string LastLine(absl::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);
  return std::string(text.substr(text.rfind('\n') + 1));
}

// Writes a failure in words, with why it matters.
std::string Failure(const CaseRecord& cell, const MatrixRow& row, const std::string& label) {
  const CaseRecord& about = *row.about;
  std::string out = absl::StrCat(
      "<li><b>", HtmlText(about.title), "</b>",
      about.importance == "critical" ? " <span class=\"chip critical\">critical</span>" : "", "<p>",
      HtmlText(WhatItDid(cell)), " ", HtmlText(WhatItShould(cell)));
  if (!about.why.empty()) {
    absl::StrAppend(&out, "<br><span class=\"why\">", HtmlText(about.why), "</span>");
  }
  const std::string last_words = LastLine(cell.stderr_tail);
  if (!last_words.empty()) {
    absl::StrAppend(&out, "<br>It wrote: <code>", HtmlText(last_words), "</code>");
  }
  absl::StrAppend(&out, "<br><small>", CaseLink(about.id, label), "</small>");
  if (!cell.repro.empty()) {
    absl::StrAppend(&out, "<br><code>", HtmlText(cell.repro), "</code>");
  }
  return out + "</p></li>\n";
}

// Returns the rows in which a reader has a result: critical cases first, and of
// these the first of each section, then the second of each, so that the start
// of the list has all sections.
std::vector<const MatrixRow*> RowsOf(CaseResult result, size_t column, const Matrix& matrix) {
  std::map<std::pair<bool, std::string>, size_t> in_section;
  std::multimap<std::pair<bool, size_t>, const MatrixRow*> sorted;
  for (const MatrixRow& row : matrix.rows) {
    const CaseRecord* const cell = row.cells[column];
    if (cell == nullptr || cell->result != result) continue;
    const bool minor = row.about->importance != "critical";
    const size_t place = in_section[{minor, row.about->section}]++;
    sorted.emplace(std::make_pair(minor, place), &row);
  }
  std::vector<const MatrixRow*> rows;
  for (const auto& [key, row] : sorted) rows.push_back(row);
  return rows;
}

// Writes the first failures of a reader with this result.
std::string FailuresWith(const CaseResultInfo& info, size_t column,
                         const std::vector<const MatrixRow*>& rows, const std::string& label) {
  constexpr size_t kShown = 20;
  const size_t shown = std::min(rows.size(), kShown);
  std::string out = absl::StrCat("<h3>", info.name, ": ", rows.size(), "</h3><p>",
                                 HtmlText(info.meaning), "</p><ol>\n");
  for (size_t i = 0; i < shown; ++i) {
    out += Failure(*rows[i]->cells[column], *rows[i], label);
  }
  out += "</ol>";
  if (shown < rows.size()) {
    absl::StrAppend(&out, "<p>", rows.size() - shown, " more are in the table of cases.</p>");
  }
  return out;
}

// Writes the failures of a reader, worst first.
std::string FailuresOf(size_t column, const Matrix& matrix) {
  const std::string& label = matrix.columns[column].run->label;
  std::string lists;
  size_t count = 0;
  for (const CaseResultInfo& info : CaseResults()) {
    if (!info.unexpected) continue;
    const auto rows = RowsOf(info.result, column, matrix);
    if (rows.empty()) continue;
    if (!info.passed) count += rows.size();
    lists += FailuresWith(info, column, rows, label);
  }
  if (lists.empty()) return "";
  return absl::StrCat("<details", matrix.columns.size() == 1 ? " open" : "", "><summary>",
                      HtmlText(label), ": ", Counted(count, "failure"), "</summary>\n", lists,
                      "</details>\n");
}

std::string Failures(const Matrix& matrix) {
  std::string out;
  for (size_t i = 0; i < matrix.columns.size(); ++i) {
    out += FailuresOf(i, matrix);
  }
  return out.empty() ? "<p>None.</p>" : out;
}

std::string ScoreCell(const Score& score) {
  if (score.judged == 0) return "<td><small>not tested</small></td>";
  return absl::StrFormat(
      "<td>%s<meter min=\"0\" max=\"%u\" value=\"%u\" aria-hidden=\"true\"></meter><small>%u of "
      "%u</small></td>",
      Percent(score), score.judged, score.passed, score.passed, score.judged);
}

// Shows unsafe outcomes: "crash 2, hang 1".
std::string UnsafeCell(const Column& column) {
  return absl::StrCat("<td>", CountOf(CaseResult::kUnsafe, column), "<small>",
                      HtmlText(OutcomeCounts(column.unsafe)), "</small></td>");
}

std::string Scores(const Matrix& matrix) {
  std::string out =
      "<table class=\"scores\"><thead><tr><th scope=\"col\">Reader</th><th scope=\"col\">All "
      "cases</th>";
  for (size_t i = 0; i < kLevels; ++i) {
    absl::StrAppend(&out, "<th scope=\"col\">", LevelName(i), " ", LevelTitle(i), "</th>");
  }
  out += "<th scope=\"col\">Unsafe</th></tr></thead><tbody>";
  for (const Column& column : matrix.columns) {
    absl::StrAppend(&out, "<tr><th scope=\"row\">", HtmlText(column.run->label), "</th>",
                    ScoreCell(column.score));
    for (const Score& level : column.levels) out += ScoreCell(level);
    absl::StrAppend(&out, UnsafeCell(column), "</tr>\n");
  }
  return out + "</tbody></table>";
}

// Returns `result` as a badge in its colour.
std::string Badge(const std::string& result, const std::string& outcome) {
  const std::string shown =
      outcome.empty() ? "" : absl::StrCat(" <small>", HtmlText(outcome), "</small>");
  return absl::StrCat("<span class=\"result r-", absl::StrReplaceAll(result, {{" ", "-"}}), "\">",
                      result, shown, "</span>");
}

std::string Legend() {
  std::string out =
      "<p>A score counts judged cases, passed and failed. A level that a reader does not report is "
      "not tested, and never counts as passed.</p><dl>";
  for (const CaseResultInfo& info : CaseResults()) {
    absl::StrAppend(&out, "<dt>", Badge(info.name, ""), "</dt><dd>", HtmlText(info.meaning),
                    "</dd>");
  }
  return out + "</dl>";
}

std::string LabelHeads(const Matrix& matrix) {
  std::string out;
  for (const Column& column : matrix.columns) {
    absl::StrAppend(&out, "<th scope=\"col\"><div class=\"label\">", HtmlText(column.run->label),
                    "</div></th>");
  }
  return out;
}

// Writes a case in the list of its group, for browsers without script.
std::string CaseItem(const MatrixRow& row, const Matrix& matrix) {
  std::string out = absl::StrCat("<li><code>", HtmlText(row.about->id), "</code>");
  bool all_pass = true;
  std::string reasons;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const CaseRecord* cell = row.cells[i];
    if (cell && cell->result == CaseResult::kPass) continue;
    all_pass = false;
    if (cell == nullptr) continue;
    absl::StrAppend(&reasons, " ", HtmlText(matrix.columns[i].run->label), ": ",
                    HtmlText(WhatItDid(*cell)), " ", HtmlText(WhatItShould(*cell)));
  }
  if (all_pass) return out + "</li>";
  absl::StrAppend(&out, " ", HtmlText(row.about->title),
                  " <small>Expected: ", HtmlText(row.about->expected), ".", reasons,
                  "</small></li>");
  return out;
}

std::string Group(const MatrixGroup& group, const Matrix& matrix) {
  const size_t count = group.rows.size();
  std::string out = absl::StrCat(
      "<tbody><tr class=\"group\"><th scope=\"row\"><details><summary><b>", HtmlText(group.section),
      "</b> ", Counted(count, "case"),
      group.importance == "critical" ? " <span class=\"chip critical\">critical</span>" : "",
      "</summary><ul>");
  for (const size_t row : group.rows) {
    out += CaseItem(matrix.rows[row], matrix);
  }
  out += "</ul></details></th>";
  for (const CaseRecord* cell : group.cells) {
    absl::StrAppend(&out, "<td>", Badge(CellResult(cell), CellOutcome(cell)), "</td>");
  }
  return out + "</tr></tbody>\n";
}

std::string MatrixTable(const Matrix& matrix) {
  std::string out =
      absl::StrCat("<table id=\"matrix\"><thead><tr><th scope=\"col\">Section and cases</th>",
                   LabelHeads(matrix), "</tr></thead>\n");
  for (const MatrixGroup& group : matrix.groups) out += Group(group, matrix);
  return out + "</table>";
}

std::string Flags(const Matrix& matrix) {
  std::string out = absl::StrCat("<table class=\"flags\"><thead><tr><th scope=\"col\">Flag</th>",
                                 LabelHeads(matrix), "</tr></thead><tbody>");
  for (const auto& row : FlagTable(matrix)) {
    absl::StrAppend(&out, "<tr><th scope=\"row\">", HtmlText(row[0]), "</th>");
    for (size_t i = 1; i < row.size(); ++i) {
      absl::StrAppend(&out, "<td>", HtmlText(row[i]), "</td>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

std::string Run(const Column& column) {
  const RunHeader& header = column.run->header;
  const auto list = [](const std::vector<std::string>& texts) {
    return texts.empty() ? "none" : absl::StrJoin(texts, " ");
  };
  const std::pair<const char*, std::string> facts[] = {
      {"Run", absl::StrFormat("%s, %u cases in %.1f s", header.date, column.run->cases.size(),
                              column.run->seconds)},
      {"Complete", column.run->problems.empty() ? "yes" : "no"},
      {"Command", list(header.reader.command)},
      {"Capabilities", list(header.reader.caps)},
      {"Quirks", list(header.reader.quirks)},
      {"Mode", header.reader.mode},
      {"Sanitizer", header.reader.sanitizer},
      {"Cases", absl::StrCat("level ", header.level, ", selected: ",
                             header.selectors.empty() ? "all" : list(header.selectors))},
      {"Suite", absl::StrCat(header.corpus.version, ", manifest ", header.corpus.sha256)},
      {"Runner", absl::StrCat(header.tool.name, " ", header.tool.version)},
  };
  std::string out =
      absl::StrCat("<details><summary>", HtmlText(column.run->label), "</summary><dl>");
  for (const auto& [name, text] : facts) {
    absl::StrAppend(&out, "<dt>", name, "</dt><dd>", HtmlText(text), "</dd>");
  }
  return out + "</dl></details>\n";
}

}  // namespace

std::string HtmlReport(const Matrix& matrix) {
  std::string runs;
  for (const Column& column : matrix.columns) runs += Run(column);
  return absl::StrReplaceAll(WithStyleAndScript(kReadersPage),
                             {{"{{about}}", About(matrix)},
                              {"{{problems}}", Problems(matrix)},
                              {"{{failures}}", Failures(matrix)},
                              {"{{scores}}", Scores(matrix)},
                              {"{{legend}}", Legend()},
                              {"{{matrix}}", MatrixTable(matrix)},
                              {"{{flags}}", Flags(matrix)},
                              {"{{runs}}", runs},
                              {"{{data}}", ScriptJson(JsonReport(matrix, kPageData))}});
}

}  // namespace gguf::readers
