// Tests the reports for GitHub's log and summary, and for a browser.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/report/text.h"
#include "conformance/report/writers.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/readers.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/testing/gguf_builder.h"
#include "tinyxml2.h"

namespace gguf {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Misaligned() { return GgufBuilder().Tensor("w", {32}, 0, 7).Build(); }

TestReport ManyBroken(int files) {
  TestReport report;
  report.run.profile = "upload";
  const FileReport broken = ReportOn(Misaligned(), "").files[0];
  for (int i = 0; i < files; ++i) {
    report.files.push_back(broken);
    report.files.back().path = absl::StrCat("f", i, ".gguf");
  }
  return report;
}

// Returns the repair of a rule, and that ggufcheck fix does it.
std::string RepairOf(const char* id) {
  const Rule& rule = *FindRule(id);
  return absl::StrCat(rule.repair,
                      FixOf(rule).fix == FixKind::kSafe ? " ggufcheck fix repairs this." : "");
}

// Returns the same, and the URL of its page behind `between`, as a line.
std::string Repair(const char* id, const char* between) {
  const std::string url = RuleUrl(id);
  return absl::StrCat(RepairOf(id), url.empty() ? "" : between, url, "\n");
}

// Returns a rule's id as Markdown has it.
std::string Linked(const std::string& id) {
  const std::string url = RuleUrl(id);
  return url.empty() ? id : absl::StrCat("[", id, "](", url, ")");
}

TEST(GithubTest, TheSumComesFirstThenTheWorst) {
  GgufBuilder b;
  b.U32("nodot", 1).U32("nodots", 1).Tensor("w", {32}, 0, 7);
  EXPECT_EQ(
      Written(NewGithubWriter, ReportOn(b.Build(), "a,b.gguf")),
      "::error title=ggufcheck::1 file: 0 pass, 1 fail, 0 incomplete; 1 error, 0 warnings, 2 "
      "notes\n"
      "::error file=a%2Cb.gguf,title=tensor-offset-aligned::tensor[w].offset is 7, not a multiple "
      "of 32 (at byte 0x5c). A tensor's offset shall be a multiple of the alignment. Repair: " +
          Repair("tensor-offset-aligned", " ") +
          "::notice file=a%2Cb.gguf,title=key-namespaced::kv[nodot].key \"nodot\" has no namespace "
          "(at "
          "byte 0x18). 2 such findings. A key should begin with a namespace, followed by a dot. "
          "Repair: " +
          Repair("key-namespaced", " "));
  EXPECT_THAT(Written(NewGithubWriter, ReportOn(FileWithTensor().Build(), "a")),
              StartsWith("::notice title=ggufcheck::1 file: 1 pass"));
}

TEST(GithubTest, NoMoreThanGithubShows) {
  const std::string text = Written(NewGithubWriter, ManyBroken(30));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_THAT(text, HasSubstr("; 21 annotations not shown"));
}

TEST(GithubTest, HostileTextIsNoCommand) {
  TestReport report = HostileReport();
  report.unfinished = "interrupted";
  const std::string text = Written(NewGithubWriter, report);
  ExpectPrintable(text);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty()) continue;
    EXPECT_TRUE(absl::StartsWith(line, "::error ") || absl::StartsWith(line, "::warning ") ||
                absl::StartsWith(line, "::notice "))
        << line;
  }
  EXPECT_THAT(text, HasSubstr("file=dir/\\x1b[31m\\n%3A%3Aerror"));
  EXPECT_THAT(text, HasSubstr("; incomplete: interrupted"));
}

TEST(MarkdownTest, AFileWithFindingsIsATable) {
  EXPECT_EQ(
      Written(NewMarkdownWriter, ReportOn(Misaligned(), "a.gguf")),
      "## ggufcheck: fail\n\n"
      "1 file: 0 pass, 1 fail, 0 incomplete; 1 error, 0 warnings, 0 notes. Profile ` upload `.\n"
      "\n### ` a.gguf `: fail\n\n"
      "| severity | rule | first at | first finding | count |\n"
      "|---|---|---|---|---|\n"
      "| error | " +
          Linked("tensor-offset-aligned") +
          " | 0x31 | ` tensor[w].offset is 7, not a multiple of 32 `<br>Repair: " +
          RepairOf("tensor-offset-aligned") +
          " | 1 |\n"
          "\nFix: ` 1 finding: ggufcheck fix a.gguf --output NEW `\n");
}

TEST(SummariesTest, EachSaysHowManyFindingsAreKnown) {
  const TestReport report = ReportWithBaseline("r");
  EXPECT_THAT(Written(NewGithubWriter, report), HasSubstr(" note; 1 known\n"));
  for (const auto make : {NewMarkdownWriter, NewHtmlWriter}) {
    EXPECT_THAT(Written(make, report), HasSubstr(" note; 1 known"));
    EXPECT_THAT(Written(make, report), HasSubstr("Known: 1 finding in the baseline"));
  }
}

TEST(MarkdownTest, ALongSummaryIsCutAndSaysSo) {
  const std::string text = Written(NewMarkdownWriter, ManyBroken(5000));
  EXPECT_LT(text.size(), 600000u);
  EXPECT_THAT(text, HasSubstr("5000 files: 0 pass, 5000 fail"));
  EXPECT_THAT(text, testing::ContainsRegex("Not shown: [0-9]+ more files with findings"));
}

TEST(MarkdownTest, HostileTextIsCode) {
  TestReport report = HostileReport();
  report.files[0].incomplete = "the limit";
  const std::string text = Written(NewMarkdownWriter, report);
  ExpectPrintable(text);
  // Two backticks fence one; the escaped bar does not end the cell.
  EXPECT_THAT(text, HasSubstr("[x](//h)`\\|*{0}%0A@a"));
  EXPECT_THAT(text, HasSubstr("### `` dir/\\x1b[31m\\n::error::<b>"));
}

TEST(HtmlTest, APageHasEveryFileWithItsFindings) {
  TestReport report = ReportOn(Misaligned(), "a.gguf");
  report.files[0].readers = JudgeReaders(report.files[0]);
  report.files.push_back(ReportOn(FileWithTensor().Build(), "b.gguf").files[0]);
  report.unfinished = "interrupted";
  const std::string page = Written(NewHtmlWriter, report);
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("<details class=\"file fail\" open><summary><b "
                              "class=\"fail\">fail</b> <code>a.gguf</code>"));
  EXPECT_THAT(
      page,
      HasSubstr(
          "<details class=\"file pass\"><summary><b class=\"pass\">pass</b> <code>b.gguf</code>"));
  EXPECT_THAT(
      page,
      HasSubstr(
          "<td><b class=\"error\">error</b><td>tensor[w].offset is 7, not a multiple of 32<br>"));
  EXPECT_THAT(page, HasSubstr("</span><td class=\"where\">0x31<td><a href="));
  EXPECT_THAT(page, HasSubstr(">tensor-offset-aligned</a></tr>"));
  EXPECT_THAT(page, HasSubstr("not checked: 2 rules (a tensor is misplaced"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>ggml<td>rejects<td>tensor[w].offset tensor-offset-aligned<br>"));
  EXPECT_THAT(page, HasSubstr("<h1>ggufcheck: <b class=\"fail\">"));
  EXPECT_THAT(page, HasSubstr("</b>: interrupted</p>"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
}

size_t Occurrences(absl::string_view text, absl::string_view part) {
  return std::vector<absl::string_view>(absl::StrSplit(text, part)).size() - 1;
}

// Returns "2 errors, 1 warning, 0 notes" of a member `counts`.
std::string CountsOf(const nlohmann::json& counts) {
  std::vector<std::string> texts;
  for (const char* name : {"error", "warning", "note"}) {
    texts.push_back(Count(counts[name].get<uint64_t>(), name));
  }
  return absl::StrJoin(texts, ", ");
}

// Files with each number of findings of each severity, more of a rule than are kept, and a check
// that did not complete.
TestReport ReportWithCounts() {
  GgufBuilder few, many;
  few.Tensor("v", {32}, 0, 7).Tensor("w", {32}, 0, 9).U32("nodot", 1).U32("Bad.Key", 1);
  few.U32("a.b", 1).U32("a.b", 2);
  for (int i = 0; i < 150; ++i) many.U32(absl::StrCat("nodot", i), 1);
  many.Tensor("w", {32}, 0, 7);
  TestReport report = ReportOn(few.Build(), "few.gguf");
  report.files.push_back(ReportOn(many.Build(), "many.gguf").files[0]);
  report.files.push_back(ReportOn(FileWithTensor().Build(), "none.gguf").files[0]);
  report.files.push_back(ReportOn("version https://git-lfs.github.com/spec/v1\n", "p").files[0]);
  return report;
}

std::unique_ptr<ReportWriter> NewPlainTextWriter(const Run& run, std::ostream& out) {
  return NewTextWriter(run, TextStyle{}, out);
}

TEST(SummariesTest, AllFormatsHaveTheCountsOfTheJson) {
  const TestReport report = ReportWithCounts();
  const auto json = nlohmann::json::parse(Written(NewJsonWriter, report));
  const std::string html = Written(NewHtmlWriter, report),
                    markdown = Written(NewMarkdownWriter, report),
                    github = Written(NewGithubWriter, report),
                    text = Written(NewPlainTextWriter, report);
  const auto sarif = nlohmann::json::parse(Written(NewSarifWriter, report))["runs"][0];
  tinyxml2::XMLDocument junit;
  ASSERT_EQ(junit.Parse(Written(NewJunitWriter, report).c_str()), tinyxml2::XML_SUCCESS);
  const auto* suite = junit.FirstChildElement("testsuites")->FirstChildElement("testsuite");

  std::map<std::string, uint64_t> totals, results, kept;
  for (const auto& file : json["files"]) {
    const std::string path = file["path"];
    SCOPED_TRACE(path);
    const auto& counts = file["counts"];
    ++results[file["result"]];
    EXPECT_THAT(html, HasSubstr("<code>" + path + "</code> <span class=\"dim\">" +
                                CountsOf(counts) + "</span>"));

    // The same findings by severity and by rule, kept or not.
    std::map<std::string, uint64_t> by_severity, by_rule;
    std::map<std::string, std::string> severities;
    for (const auto& finding : file["findings"]) {
      ++by_severity[finding["severity"]];
      ++by_rule[finding["rule"]];
      severities[finding["rule"]] = finding["severity"];
      ++kept[finding["severity"]];
    }
    for (const auto& more : file["more"]) {
      const uint64_t count = more["count"];
      const std::string rule = more["rule"];
      by_severity[severities[rule]] += count;
      by_rule[rule] += count;
      EXPECT_THAT(html, HasSubstr(absl::StrCat("<td>", count, " more<td><td>", rule, "</tr>")));
      EXPECT_THAT(text, HasSubstr(absl::StrCat("...  and ", count, " more  [", rule, "]\n")));
      EXPECT_THAT(sarif["invocations"][0].dump(),
                  HasSubstr(absl::StrCat(count, " more findings of ", rule)));
    }
    for (const char* name : {"error", "warning", "note"}) {
      const uint64_t count = counts[name];
      EXPECT_EQ(by_severity[name], count);
      totals[name] += count;
      if (count == 0) continue;
      EXPECT_THAT(text.substr(text.find(path)), HasSubstr("\n  " + Count(count, name) + "\n"));
    }
    uint64_t failures = 0;
    for (const auto& [rule, count] : by_rule) {
      failures += severities[rule] == "error";
      EXPECT_THAT(markdown,
                  HasSubstr(absl::StrCat("| ", severities[rule], " | ", Linked(rule), " | ")));
      const size_t row =
          markdown.find(absl::StrCat(" | ", Linked(rule), " | "), markdown.find("` " + path));
      EXPECT_THAT(markdown.substr(row, markdown.find('\n', row) - row),
                  testing::EndsWith(absl::StrCat(" | ", count, " |")));
      const std::string title = absl::StrCat("file=", path, ",title=", rule, "::");
      ASSERT_EQ(Occurrences(github, title), 1u) << title;
      const size_t command = github.find(title);
      const std::string line = github.substr(command, github.find('\n', command) - command);
      EXPECT_EQ(Occurrences(line, absl::StrCat(" ", count, " such findings.")), count > 1);
    }
    const bool incomplete = file["result"] == "incomplete";
    const size_t skipped = suite->UnsignedAttribute("skipped");
    EXPECT_EQ(suite->UnsignedAttribute("tests"), 1 + by_rule.size() + skipped);
    EXPECT_EQ(suite->UnsignedAttribute("failures"), failures);
    EXPECT_EQ(suite->UnsignedAttribute("errors"), incomplete);
    suite = suite->NextSiblingElement();
  }
  EXPECT_GT(totals["note"], 150u);
  EXPECT_GT(totals["error"], 3u);
  EXPECT_EQ(json["results"], nlohmann::json(results));

  const std::string summary =
      absl::StrCat("4 files: ", results["pass"], " pass, ", results["fail"], " fail, ",
                   results["incomplete"], " incomplete; ", CountsOf(nlohmann::json(totals)));
  for (const std::string& each : {text, html, markdown, github}) {
    EXPECT_THAT(each, HasSubstr(summary));
  }
  for (const auto& [severity, count] : kept) {
    EXPECT_EQ(Occurrences(html, absl::StrCat("data-severity=\"", severity, "\"")), count);
    EXPECT_EQ(
        std::count_if(sarif["results"].begin(), sarif["results"].end(),
                      [&, &level = severity](const auto& each) { return each["level"] == level; }),
        count);
  }
  EXPECT_EQ(sarif["invocations"][0]["properties"]["files"], 4);
}

TEST(HtmlTest, HostileTextIsNoMarkupAndThePageRunsNothing) {
  TestReport report = HostileReport();
  report.files[0].readers = JudgeReaders(report.files[0]);
  const std::string page = Written(NewHtmlWriter, report);
  ExpectPrintable(page);
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;&amp;]]&gt;[x](//h)"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  // The page's own script is last.
  const std::string before = page.substr(0, page.find("<script>"));
  for (const char* markup : {"<b>", "<script", "src=", "<img"}) {
    EXPECT_THAT(before, Not(HasSubstr(markup)));
  }
  EXPECT_EQ(page.find("<script", page.find("<script>") + 1), page.npos);
}

// A file cut in its last tensor, whose data is not complete.
TestReport Truncated() {
  std::string bytes = FileWithTensor().Build();
  bytes.resize(bytes.size() - 1);
  return ReportOn(bytes, "cut.gguf");
}

TEST(CausesTest, EachFormatHasThemFirst) {
  const TestReport report = Truncated();
  ASSERT_EQ(report.files[0].causes.size(), 1u);
  const std::string& message = report.files[0].causes[0].message;
  for (const ReportFormat& format : kReportFormats) {
    const std::string text = Written(format.make, report);
    const size_t cause = text.find("The file is truncated: ");
    ASSERT_NE(cause, std::string::npos) << format.name;
    EXPECT_THAT(text, HasSubstr("tensor-data-in-file")) << format.name;
    if (format.name == absl::string_view("sarif") || format.name == absl::string_view("junit")) {
      continue;  // Their causes follow the results.
    }
    EXPECT_LT(cause, text.find("tensor-data-in-file")) << format.name;
  }
  EXPECT_THAT(message, HasSubstr("the data of its tensor is missing"));
}

TEST(CausesTest, TextLeavesTheirFindingsOut) {
  const TestReport report = Truncated();
  const auto written = [&](bool verbose) {
    std::ostringstream out;
    TextStyle style;
    style.verbose = verbose;
    const auto writer = NewTextWriter(report.run, style, out);
    Totals totals;
    totals.Add(report.files[0], report.run.fail_on);
    writer->Add(report.files[0]);
    writer->End(totals);
    return out.str();
  };
  EXPECT_THAT(written(false), Not(HasSubstr("[tensor-data-in-file]")));
  EXPECT_THAT(written(false), HasSubstr("1 finding follows from this; --verbose lists it"));
  EXPECT_THAT(written(true), HasSubstr("[tensor-data-in-file]"));
  EXPECT_THAT(written(true), Not(HasSubstr("--verbose")));
}

}  // namespace
}  // namespace gguf
