// Writes what a fuzzing run found as JUnit XML and as SARIF 2.1.0.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/base/escape.h"
#include "conformance/base/json.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/readers/fuzz/findings.h"
#include "corpus/export/collection.h"

namespace gguf::readers {
namespace {

// Escapes text: braces would be placeholders, brackets links.
Json Message(absl::string_view text) {
  return {{"text", absl::StrReplaceAll(text, {{"{", "{{"}, {"}", "}}"}, {"](", "] ("}})}};
}

std::string Summary(const FuzzGroup& group) {
  return absl::StrCat("It ", Visible(VerdictWords(group)), ": ", Escape(group.message, 300),
                      group.frames.empty() ? "" : " in ",
                      Visible(absl::StrJoin(group.frames, " < ")));
}

}  // namespace

std::string FuzzJunit(const FuzzReport& report) {
  JunitXml xml;
  xml.Open("testsuites");
  const size_t count = report.groups.size();
  xml.OpenSuite(absl::StrCat("fuzzing ", Visible(report.reader.name)),
                {std::max<size_t>(count, 1), count, 0, 0});
  if (count == 0) {
    xml.OpenCase(absl::StrCat(report.executions, " executions"));
    xml.Close();
  }
  for (const FuzzGroup& group : report.groups) {
    std::vector<std::string> lines = {Visible(group.reproduce)};
    for (const std::string& frame : group.frames)
      lines.push_back(absl::StrCat("in ", Visible(frame)));
    // Prefixed, because a CI system could interpret the start of a line.
    for (const char* text : {group.text.c_str(), group.output.c_str()}) {
      for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
        lines.push_back(absl::StrCat("| ", line));
      }
    }
    xml.OpenCase(absl::StrCat(group.kind, " ", Escape(group.signature, 300)));
    xml.Add("failure", {{"message", Summary(group)}}, absl::StrJoin(lines, "\n"));
    xml.Close();
  }
  xml.Close();
  xml.Close();
  return xml.Take();
}

std::string FuzzSarif(const FuzzReport& report) {
  Json rules = Json::array(), results = Json::array();
  std::set<std::string> used;
  for (const FuzzGroup& group : report.groups) used.insert(group.kind);
  for (const FuzzKind& kind : FuzzKinds()) {
    if (used.count(kind.name) == 0) continue;
    rules.push_back(
        {{"id", kind.name},
         {"shortDescription", Message(absl::StrCat("The reader ", kind.meaning, "."))}});
  }
  for (const FuzzGroup& group : report.groups) {
    const std::string file = group.file.empty() ? "reader" : group.file;
    results.push_back(
        {{"ruleId", group.kind},
         {"level", "error"},
         {"message", Message(absl::StrCat(Summary(group), "\n", Visible(group.reproduce)))},
         {"locations", {{{"physicalLocation", {{"artifactLocation", {{"uri", UriPath(file)}}}}}}}},
         {"partialFingerprints", {{"group/v1", corpus::Sha256(group.signature)}}}});
  }
  const Json run = {{"tool",
                     {{"driver",
                       {{"name", "ggufcheck"},
                        {"version", kToolVersion},
                        {"informationUri", ProjectUrl()},
                        {"rules", std::move(rules)}}}}},
                    {"invocations", {{{"executionSuccessful", report.incomplete.empty()}}}},
                    {"results", std::move(results)}};
  return JsonText({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({run})}},
                  1) +
         "\n";
}

}  // namespace gguf::readers
