// The report as JUnit XML.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/readers/report/reports.h"
#include "conformance/report/junit_xml.h"

namespace gguf::readers {
namespace {

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

std::string Seconds(double seconds) { return absl::StrFormat("%.3f", seconds); }

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

void AddCase(const CaseRecord& cell, JunitXml* xml) {
  const JunitXml::Attributes time = {{"time", Seconds(cell.seconds)}};
  const Status status = StatusOf(cell.result);
  if (status == Status::kPass) return xml->AddCase(cell.id, time, nullptr);
  const char* const elements[] = {nullptr, "failure", "error", "skipped"};
  const JunitXml::Outcome outcome = {
      elements[static_cast<size_t>(status)],
      absl::StrCat(CellText(&cell), ": ", cell.title), InfoOf(cell.result).name,
      status == Status::kSkipped ? "" : Details(cell)};
  xml->AddCase(cell.id, time, &outcome);
}

void AddProperties(const RunHeader& header, JunitXml* xml) {
  const std::pair<const char*, std::string> properties[] = {
      {"reader.version", header.reader.version},
      {"reader.command", absl::StrJoin(header.reader.command, " ")},
      {"suite.version", header.corpus.version},
      {"suite.sha256", header.corpus.sha256},
      {"runner", absl::StrCat(header.tool.name, " ", header.tool.version)}};
  xml->Open("properties");
  for (const auto& [name, value] : properties) {
    xml->Open("property", {{"name", name}, {"value", value}});
    xml->Close();
  }
  xml->Close();
}

void AddSuite(const ReaderRun& run, JunitXml* xml) {
  std::map<Status, size_t> counts;
  for (const CaseRecord& cell : run.cases) ++counts[StatusOf(cell.result)];
  const size_t incomplete = run.problems.empty() ? 0 : 1;
  xml->OpenSuite(
      run.label,
      {run.cases.size() + incomplete, counts[Status::kFailure],
       counts[Status::kError] + incomplete, counts[Status::kSkipped]},
      {{"time", Seconds(run.seconds)},
       // Without the zone, as the schema has it.
       {"timestamp", run.header.date.substr(0, 19)}});
  AddProperties(run.header, xml);
  if (incomplete) {  // An error, whatever the cases say.
    const JunitXml::Outcome outcome = {"error", "not complete", "incomplete",
                                       absl::StrJoin(run.problems, "\n")};
    xml->AddCase("the run is complete", {{"time", "0"}}, &outcome);
  }
  for (const CaseRecord& cell : run.cases) AddCase(cell, xml);
  xml->Close();
}

}  // namespace

std::string JunitReport(const Matrix& matrix) {
  JunitXml xml;
  xml.Open("testsuites");
  for (const Column& column : matrix.columns) AddSuite(*column.run, &xml);
  xml.Close();
  return xml.Take();
}

}  // namespace gguf::readers
