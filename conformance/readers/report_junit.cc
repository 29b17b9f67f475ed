// The report as JUnit XML, in the dialect that Jenkins reads.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/readers/reports.h"
#include "conformance/report/escape.h"
#include "tinyxml2.h"

namespace gguf::readers {
namespace {

using tinyxml2::XMLElement;

// How a case counts for a CI job: what the run did not expect fails.
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

void SetText(const char* name, const std::string& text, XMLElement* element) {
  element->SetAttribute(name, XmlText(text).c_str());
}

std::string Details(const CaseRecord& cell) {
  std::vector<std::string> lines = {absl::StrCat("expected: ", cell.expected),
                                    absl::StrCat("observed: ", cell.outcome)};
  if (cell.rejection) {
    lines.push_back(absl::StrCat("rejected as ", cell.rejection->type, ": ",
                                 cell.rejection->text));
  }
  if (cell.difference) {
    const Difference& difference = *cell.difference;
    lines.push_back(absl::StrCat(difference.level, ": ", difference.path,
                                 " is ", difference.observed, ", not ",
                                 difference.expected));
  }
  if (cell.known) lines.push_back(absl::StrCat("known: ", *cell.known));
  if (!cell.repro.empty()) lines.push_back(cell.repro);
  // Nothing of it begins a line, where a CI job could take it for a command.
  for (const absl::string_view line :
       absl::StrSplit(cell.stderr_tail, '\n', absl::SkipEmpty())) {
    lines.push_back(absl::StrCat("| ", line));
  }
  return absl::StrJoin(lines, "\n");
}

void AppendCase(const std::string& label, const CaseRecord& cell,
                XMLElement* suite) {
  XMLElement* element = suite->InsertNewChildElement("testcase");
  SetText("name", cell.id, element);
  SetText("classname", label, element);
  SetText("time", absl::StrFormat("%.3f", cell.seconds), element);
  const char* const names[] = {nullptr, "failure", "error", "skipped"};
  const char* name = names[static_cast<size_t>(StatusOf(cell.result))];
  if (name == nullptr) return;
  XMLElement* status = element->InsertNewChildElement(name);
  SetText("message", absl::StrCat(CellText(&cell), ": ", cell.title), status);
  if (StatusOf(cell.result) == Status::kSkipped) return;  // Takes no text.
  SetText("type", InfoOf(cell.result).name, status);
  status->SetText(XmlText(Details(cell)).c_str());
}

// A run that is not whole is an error, whatever its cases say.
void AppendProblems(const Column& column, XMLElement* suite) {
  XMLElement* element = suite->InsertNewChildElement("testcase");
  SetText("name", "the run is complete", element);
  SetText("classname", column.run->label, element);
  SetText("time", "0", element);
  XMLElement* error = element->InsertNewChildElement("error");
  SetText("message", "not complete", error);
  SetText("type", "incomplete", error);
  error->SetText(XmlText(absl::StrJoin(column.run->problems, "\n")).c_str());
}

void AppendProperties(const RunHeader& header, XMLElement* suite) {
  const std::pair<const char*, std::string> properties[] = {
      {"reader.version", header.reader.version},
      {"reader.command", absl::StrJoin(header.reader.command, " ")},
      {"suite.version", header.corpus.version},
      {"suite.sha256", header.corpus.sha256},
      {"runner", absl::StrCat(header.tool.name, " ", header.tool.version)}};
  XMLElement* list = suite->InsertNewChildElement("properties");
  for (const auto& [name, value] : properties) {
    XMLElement* property = list->InsertNewChildElement("property");
    SetText("name", name, property);
    SetText("value", value, property);
  }
}

void AppendSuite(const Column& column, XMLElement* suites) {
  const ReaderRun& run = *column.run;
  std::map<Status, uint64_t> counts;
  for (const CaseRecord& cell : run.cases) ++counts[StatusOf(cell.result)];
  const uint64_t incomplete = run.problems.empty() ? 0 : 1;

  XMLElement* suite = suites->InsertNewChildElement("testsuite");
  SetText("name", run.label, suite);
  suite->SetAttribute("tests", run.cases.size() + incomplete);
  suite->SetAttribute("failures", counts[Status::kFailure]);
  suite->SetAttribute("errors", counts[Status::kError] + incomplete);
  suite->SetAttribute("skipped", counts[Status::kSkipped]);
  SetText("time", absl::StrFormat("%.3f", run.seconds), suite);
  // Without the zone, as the schema has it.
  SetText("timestamp", run.header.date.substr(0, 19), suite);
  AppendProperties(run.header, suite);
  if (incomplete) AppendProblems(column, suite);
  for (const CaseRecord& cell : run.cases) AppendCase(run.label, cell, suite);
}

}  // namespace

std::string JunitReport(const Matrix& matrix) {
  tinyxml2::XMLDocument document;
  document.InsertEndChild(document.NewDeclaration());
  XMLElement* suites = document.NewElement("testsuites");
  document.InsertEndChild(suites);
  for (const Column& column : matrix.columns) AppendSuite(column, suites);
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace gguf::readers
