// Writes the report as JUnit XML, and as a badge.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/base/escape.h"
#include "conformance/readers/report/reports.h"

namespace gguf::readers {
namespace {

// The status of a case for a CI job: unexpected results fail.
enum class Status { kPass, kFailure, kError, kSkipped };

Status StatusOf(CaseResult result) {
  switch (result) {
    case CaseResult::kUnsafe:
      return Status::kError;
    case CaseResult::kXfail:
    case CaseResult::kSkip:
    case CaseResult::kNotTested:
      return Status::kSkipped;
    default:
      return IsUnexpected(result) ? Status::kFailure : Status::kPass;
  }
}

std::string Seconds(double seconds) { return absl::StrFormat("%.3f", seconds); }

std::string Details(const CaseRecord& cell) {
  std::vector<std::string> lines = {absl::StrCat("expected: ", cell.expected),
                                    absl::StrCat("observed: ", cell.outcome)};
  if (cell.rejection) {
    lines.push_back(absl::StrCat("rejected as ", cell.rejection->type, ": ", cell.rejection->text));
  }
  if (cell.difference) {
    const Difference& difference = *cell.difference;
    lines.push_back(absl::StrCat(difference.level, ": ", difference.path, " is ",
                                 difference.observed, ", not ", difference.expected));
  }
  if (cell.known) lines.push_back(absl::StrCat("known: ", *cell.known));
  if (!cell.repro.empty()) lines.push_back(cell.repro);
  // Prefixed, because a CI system could interpret the start of a line as a
  // command.
  for (const absl::string_view line : absl::StrSplit(cell.stderr_tail, '\n', absl::SkipEmpty())) {
    lines.push_back(absl::StrCat("| ", line));
  }
  return absl::StrJoin(lines, "\n");
}

void AddCase(const CaseRecord& cell, JunitXml* xml) {
  const Status status = StatusOf(cell.result);
  const std::string message = absl::StrCat(CellText(&cell), ": ", cell.title);
  xml->OpenCase(cell.id, {{"time", Seconds(cell.seconds)}});
  if (status == Status::kSkipped) {
    xml->Add("skipped", {{"message", message}});
  } else if (status != Status::kPass) {
    xml->Add(status == Status::kError ? "error" : "failure",
             {{"message", message}, {"type", InfoOf(cell.result).name}}, Details(cell));
  }
  xml->Close();
}

void AddSuite(const ReaderRun& run, JunitXml* xml) {
  const RunHeader& header = run.header;
  std::map<Status, size_t> counts;
  for (const CaseRecord& cell : run.cases) ++counts[StatusOf(cell.result)];
  const size_t incomplete = run.problems.empty() ? 0 : 1;
  xml->OpenSuite(run.label,
                 {run.cases.size() + incomplete, counts[Status::kFailure],
                  counts[Status::kError] + incomplete, counts[Status::kSkipped]},
                 {{"time", Seconds(run.seconds)},
                  // Without the zone, as the schema requires.
                  {"timestamp", header.date.substr(0, 19)}});
  xml->Open("properties");
  for (const JunitXml::Attributes::value_type& property :
       JunitXml::Attributes{{"reader.version", header.reader.version},
                            {"reader.command", absl::StrJoin(header.reader.command, " ")},
                            {"suite.version", header.corpus.version},
                            {"suite.sha256", header.corpus.sha256},
                            {"runner", absl::StrCat(header.tool.name, " ", header.tool.version)}}) {
    xml->Add("property", {{"name", property.first}, {"value", property.second}});
  }
  xml->Close();
  if (incomplete) {  // An error, whatever the results of the cases.
    xml->OpenCase("the run is complete", {{"time", "0"}});
    xml->Add("error", {{"message", "not complete"}, {"type", "incomplete"}},
             absl::StrJoin(run.problems, "\n"));
    xml->Close();
  }
  for (const CaseRecord& cell : run.cases) AddCase(cell, xml);
  xml->Close();
}

constexpr int kLetterWidth = 7;  // Approximate.
constexpr int kPadding = 6;

int WidthOf(const std::string& text) {
  return static_cast<int>(text.size()) * kLetterWidth + 2 * kPadding;
}

struct Value {
  std::string text;
  const char* color;
};

// Unsafe cases make the badge red, whatever the score.
Value ValueOf(const Column& column) {
  const uint64_t unsafe = CountOf(CaseResult::kUnsafe, column);
  if (!column.run->problems.empty()) return {"incomplete", "#5a6372"};
  const std::string percent = absl::StrReplaceAll(Percent(column.score), {{" %", "%"}});
  if (unsafe > 0) {
    return {absl::StrCat(percent, ", ", unsafe, " unsafe"), "#a3121f"};
  }
  const bool all = column.score.passed == column.score.judged;
  return {percent, column.score.judged == 0 ? "#5a6372" : all ? "#17652b" : "#8f3b00"};
}

}  // namespace

std::string JunitReport(const Matrix& matrix) {
  JunitXml xml;
  xml.Open("testsuites");
  for (const Column& column : matrix.columns) AddSuite(*column.run, &xml);
  xml.Close();
  return xml.Take();
}

std::string BadgeReport(const Matrix& matrix) {
  const Column& column = matrix.columns.front();
  const Value value = ValueOf(column);
  const std::string label = "GGUF conformance";
  const int left = WidthOf(label), right = WidthOf(value.text);
  const std::string title =
      HtmlText(XmlText(absl::StrCat(column.run->label, ": ", label, " ", value.text)));
  return absl::StrFormat(
      R"svg(<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="20" role="img" )svg"
      R"svg(aria-label="%s">
<title>%s</title>
<clipPath id="r"><rect width="%d" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="%d" height="20" fill="#3b424d"/><rect )svg"
      R"svg(x="%d" width="%d" height="20" fill="%s"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="%d" y="14" textLength="%d">%s</text>
<text x="%d" y="14" textLength="%d">%s</text>
</g>
</svg>
)svg",
      left + right, title, title, left + right, left, left, right, value.color, left / 2,
      left - 2 * kPadding, label, left + right / 2, right - 2 * kPadding, value.text);
}

}  // namespace gguf::readers
