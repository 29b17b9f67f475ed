// The contents of each report, and the escaping of untrusted text.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/report/reports.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "conformance/readers/testing/sample_log.h"
#include "conformance/testing/json_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tinyxml2.h"

namespace gguf::readers {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Two readers; one fails a case with every kind of detail.
std::vector<ReaderRun> SampleRuns() {
  CaseRecord failure = SampleRecord("t/x", CaseResult::kWrongValues);
  failure.importance = "critical";
  failure.difference = Difference{"tensor[w].offset", "0", "7", "L3"};
  failure.rejection = Rejection{"format", "no"};
  failure.stderr_tail = "oops";
  failure.known = "known";
  failure.marks = {{1, 2, "a-rule"}};
  const CaseRecord pass = SampleRecord("t/y", CaseResult::kPass);
  CaseRecord open = SampleRecord("t/z", CaseResult::kInfo);
  open.verdict = "either";
  open.flags = {"Shard"};
  return MergeRuns({SampleLog("one", {failure, pass, open}), SampleLog("two", {pass})});
}

std::string Lines(std::vector<std::string> lines) { return absl::StrJoin(lines, "\n") + "\n"; }

std::vector<ReaderRun> HostileRuns() { return MergeRuns({HostileLog()}); }

TEST(ReportsTest, TheTerminalShowsScoresAndTheMatrix) {
  constexpr char kWhen[] = " on 2026-11-21T20:00:00Z; suite 0.1.0, ggufcheck 0.1.0";
  const std::vector<ReaderRun> runs = SampleRuns();
  EXPECT_EQ(TerminalReport(BuildMatrix(runs), {}),
            Lines({
                "Readers of GGUF over the conformance suite",
                "",
                absl::StrCat("  [1] one 1.0: 3 cases in 2.0 s", kWhen),
                absl::StrCat("  [2] two 1.0: 1 cases in 2.0 s", kWhen),
                "",
                "  passed of tested  [1]          [2]",
                "  all cases         50.0 %, 1/2  100 %, 1/1",
                "  L0 safe           100 %, 3/3   100 %, 1/1",
                "  L1 verdict        100 %, 3/3   100 %, 1/1",
                "  L2 metadata       0.0 %, 0/3   0.0 %, 0/1",
                "  L3 tensor table   not tested   not tested",
                "  L4 bytes          not tested   not tested",
                "  L5 weights        not tested   not tested",
                "  wrong-values      1            0",
                "  info              1            0",
                "  pass              1            1",
                "",
                "Cases grouped by result, worst first",
                "",
                "  section, cases  importance  [1]           [2]",
                "  t, 1            critical    wrong-values  not run",
                "      t/x",
                "  t, 1            major       info: accept  not run",
                "      t/z",
                "  t, 1            major       pass          pass",
                "",
                "Implementation-defined cases: outcomes by flag",
                "",
                "  flag   [1]       [2]",
                "  Shard  accept 1  ",
            }));
}

TEST(ReportsTest, WhatReadersDieOfIsCounted) {
  CaseRecord hang = SampleRecord("t/y", CaseResult::kUnsafe);
  hang.outcome = "hang";
  const std::vector<ReaderRun> runs =
      MergeRuns({SampleLog("one", {SampleRecord("t/x", CaseResult::kPass)}),
                 SampleLog("two", {SampleRecord("t/x", CaseResult::kUnsafe), hang})});
  const Matrix matrix = BuildMatrix(runs);
  EXPECT_THAT(TerminalReport(matrix, {}), HasSubstr("\n  [2] unsafe: crash 1, hang 1\n"));
  EXPECT_THAT(TerminalReport(matrix, {}), Not(HasSubstr("[1] unsafe")));
  EXPECT_THAT(MarkdownReport(matrix), HasSubstr("\n| unsafe cases | 0 | ` crash 1, hang 1 ` |\n"));
}

TEST(ReportsTest, TheTerminalIsColouredOnRequestOnly) {
  const std::vector<ReaderRun> runs = SampleRuns();
  const std::string text = TerminalReport(BuildMatrix(runs), {true, 0});
  EXPECT_THAT(text, HasSubstr("\x1b[31mwrong-values\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[32mpass\x1b[0m"));
}

TEST(ReportsTest, WhatIsNotCompleteIsSaidFirst) {
  NamedLog cut = SampleLog("one", {SampleRecord("t/x", CaseResult::kPass)});
  cut.log.footer.reset();
  const std::vector<ReaderRun> runs = MergeRuns({cut});
  const Matrix matrix = BuildMatrix(runs);
  const char* said = "the run was killed or is still running";
  EXPECT_THAT(
      TerminalReport(matrix, {}),
      HasSubstr(absl::StrCat(
          "NOT COMPLETE\n  one 1.0: one.ndjson is truncated after 1 cases: ", said, ".\n")));
  EXPECT_THAT(MarkdownReport(matrix), HasSubstr("> **Not complete:**\n> - ` "));
  EXPECT_THAT(HtmlReport(matrix), HasSubstr("<strong>Not complete</strong>"));
  EXPECT_THAT(JunitReport(matrix), HasSubstr("<error message=\"not complete\""));
  EXPECT_THAT(BadgeReport(matrix), HasSubstr(">incomplete</text>"));
  EXPECT_EQ(json::parse(JsonReport(matrix, {}))["complete"], false);
  for (const std::string& report :
       {MarkdownReport(matrix), HtmlReport(matrix), JunitReport(matrix), JsonReport(matrix, {})}) {
    EXPECT_THAT(report, HasSubstr(said));
  }
}

std::vector<std::string> Violations(const json& document) {
  return SchemaViolations(JsonFile("conformance/report/schemas/readers-report.schema.json"),
                          document);
}

TEST(ReportsTest, TheJsonObeysItsSchema) {
  const std::vector<ReaderRun> runs = SampleRuns();
  const json report = json::parse(JsonReport(BuildMatrix(runs), {}));
  EXPECT_THAT(Violations(report), IsEmpty());
  EXPECT_EQ(report["cases"][0]["case"], "t/x");
  EXPECT_EQ(report["cases"][0]["hex"], "07000000");
  EXPECT_EQ(report["cases"][0]["readers"][0]["levels"], "ppf---");
  EXPECT_EQ(report["cases"][0]["readers"][1], nullptr);
  EXPECT_EQ(report["readers"][0]["levels"][3]["not_tested"], 3);
  EXPECT_EQ(report["readers"][0]["sections"], (json{{"t", report["readers"][0]["score"]}}));
  EXPECT_EQ(report["flags"][0]["readers"][0]["accept"], 1);
  EXPECT_THAT(Violations(json::parse(JsonReport(Matrix(), {}))), IsEmpty());

  json wrong = report;
  wrong["cases"][0]["readers"][0]["levels"] = "pf";
  EXPECT_THAT(
      Violations(wrong),
      ElementsAre(
          "/cases/0/readers/0/levels: Failed to match regex specified by 'pattern' constraint."));
}

TEST(ReportsTest, ShortJsonHasTheBytesAroundTheFirstMark) {
  CaseRecord record = SampleRecord("t/x", CaseResult::kFalseAccept);
  record.hex = std::string(2 * 400, '0') + std::string(2 * 400, '1');
  record.hex_offset = 1000;
  record.text = "0123456\xc3\xa9";  // Cut inside the character.
  const auto hex_of = [&](std::vector<Mark> marks) {
    record.marks = std::move(marks);
    const std::vector<ReaderRun> runs = MergeRuns({SampleLog("one", {record})});
    const json row = json::parse(JsonReport(BuildMatrix(runs), {-1, 64, 8}))["cases"][0];
    EXPECT_EQ(row["text"], "0123456\n... (9 bytes)\n");
    EXPECT_EQ(row["hex"].get<std::string>().size(), 128u);
    return row["hex_offset"].get<uint64_t>();
  };
  EXPECT_EQ(hex_of({}), 1000u);
  EXPECT_EQ(hex_of({{1000, 1, "r"}}), 1000u);
  EXPECT_EQ(hex_of({{1100, 1, "r"}}), 1000u + 96 - 32);
  EXPECT_EQ(hex_of({{1799, 1, "r"}}), 1800u - 64);
  EXPECT_EQ(hex_of({{~0ull, 1, "r"}}), 1800u - 64);
  EXPECT_EQ(hex_of({{3, 1, "r"}}), 1000u);
}

TEST(ReportsTest, MarkdownTablesHaveEqualRows) {
  const std::vector<ReaderRun> sample = SampleRuns(), hostile = HostileRuns();
  for (const auto& runs : {sample, hostile}) {
    size_t columns = 0;
    for (const absl::string_view line : absl::StrSplit(MarkdownReport(BuildMatrix(runs)), '\n')) {
      if (line.empty() || line[0] != '|') {
        columns = 0;
        continue;
      }
      const std::string bars = absl::StrReplaceAll(line, {{"\\|", ""}});
      const size_t count = std::count(bars.begin(), bars.end(), '|');
      EXPECT_TRUE(columns == 0 || columns == count) << line;
      columns = count;
    }
  }
  EXPECT_THAT(MarkdownReport(BuildMatrix(sample)),
              HasSubstr("| ` t `, 1, critical | ` wrong-values ` | ` not run ` | ` t/x ` |\n"));
}

TEST(ReportsTest, HostileTextHasNoPowerAnywhere) {
  const std::vector<ReaderRun> runs = HostileRuns();
  const Matrix matrix = BuildMatrix(runs);
  for (const std::string& report :
       {TerminalReport(matrix, {}), JsonReport(matrix, {}), MarkdownReport(matrix),
        HtmlReport(matrix), JunitReport(matrix), BadgeReport(matrix)}) {
    EXPECT_FALSE(report.empty());
    EXPECT_EQ(report.find('\x1b'), std::string::npos);
    EXPECT_EQ(report.find('\0'), std::string::npos);
    EXPECT_THAT(report, Not(HasSubstr("\u202e")));
    // GitHub recognizes commands at the beginning of a line.
    EXPECT_THAT(report, Not(HasSubstr("\n::error::")));
  }
  EXPECT_THAT(Violations(json::parse(JsonReport(matrix, {}))), ElementsAre());
  const std::string html = HtmlReport(matrix);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("{{matrix}}")));
  EXPECT_THAT(html, HasSubstr("\\u003c/script\\u003e"));
  EXPECT_THAT(html, HasSubstr("{{data}}"));  // As text, not expanded.
  EXPECT_THAT(BadgeReport(matrix), Not(HasSubstr("<img")));
}

// Checks a suite against the requirements of the common Jenkins schema.
void CheckSuite(const tinyxml2::XMLElement& suite) {
  std::map<std::string, int> counts;
  const tinyxml2::XMLElement* child = suite.FirstChildElement();
  ASSERT_STREQ(child->Name(), "properties");
  EXPECT_NE(child->FirstChildElement("property"), nullptr);
  for (child = child->NextSiblingElement(); child != nullptr; child = child->NextSiblingElement()) {
    ASSERT_STREQ(child->Name(), "testcase");
    EXPECT_NE(child->Attribute("name"), nullptr);
    EXPECT_NE(child->Attribute("classname"), nullptr);
    EXPECT_GE(child->DoubleAttribute("time", -1), 0);
    ++counts["tests"];
    const tinyxml2::XMLElement* status = child->FirstChildElement();
    if (status == nullptr) continue;
    ++counts[status->Name()];
    EXPECT_NE(status->Attribute("message"), nullptr);
    EXPECT_EQ(status->NextSiblingElement(), nullptr);
  }
  EXPECT_EQ(suite.IntAttribute("tests"), counts["tests"]);
  EXPECT_EQ(suite.IntAttribute("failures"), counts["failure"]);
  EXPECT_EQ(suite.IntAttribute("errors"), counts["error"]);
  EXPECT_EQ(suite.IntAttribute("skipped"), counts["skipped"]);
}

TEST(ReportsTest, JenkinsTakesTheJunit) {
  std::vector<CaseRecord> cases;
  for (const CaseResultInfo& info : CaseResults()) {
    cases.push_back(SampleRecord(std::string("a/") + info.name, info.result));
  }
  const std::vector<ReaderRun> runs = MergeRuns({SampleLog("all", cases), HostileLog()});
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(JunitReport(BuildMatrix(runs)).c_str()), tinyxml2::XML_SUCCESS);
  const tinyxml2::XMLElement* suite =
      document.FirstChildElement("testsuites")->FirstChildElement("testsuite");
  ASSERT_NE(suite, nullptr);
  CheckSuite(*suite);
  EXPECT_STREQ(suite->Attribute("name"), "all 1.0");
  EXPECT_STREQ(suite->Attribute("timestamp"), "2026-11-21T20:00:00");
  EXPECT_EQ(suite->IntAttribute("tests"), 11);
  EXPECT_EQ(suite->IntAttribute("failures"), 4);  // xpass is one.
  EXPECT_EQ(suite->IntAttribute("errors"), 1);
  EXPECT_EQ(suite->IntAttribute("skipped"), 3);
  CheckSuite(*suite->NextSiblingElement());
}

size_t Occurrences(absl::string_view text, absl::string_view part) {
  return std::vector<absl::string_view>(absl::StrSplit(text, part)).size() - 1;
}

// Returns the line of a table that begins with these cells, as its other cells.
std::string Row(absl::string_view table, absl::string_view first) {
  const size_t begin = table.find(absl::StrCat("\n  ", first, " "));
  if (begin == absl::string_view::npos) return "";
  const std::vector<absl::string_view> words = absl::StrSplit(
      table.substr(begin, table.find('\n', begin + 1) - begin), ' ', absl::SkipWhitespace());
  return absl::StrJoin(words.begin() + 1, words.end(), " ");
}

TEST(ReportsTest, AllFormatsHaveTheCountsOfTheJson) {
  // Each result as often as nothing else: 1, 2, ... for one reader, and with 20 more for the other.
  std::vector<CaseRecord> cases[2];
  for (const CaseResultInfo& info : CaseResults()) {
    const int times = static_cast<int>(info.result) + 1;
    for (int i = 0; i < 20 + times; ++i) {
      const std::string id = absl::StrCat("t/", info.name, "-", i);
      if (i < times) cases[0].push_back(SampleRecord(id, info.result));
      cases[1].push_back(SampleRecord(id, info.result));
    }
  }
  const std::vector<ReaderRun> runs =
      MergeRuns({SampleLog("one", cases[0]), SampleLog("two", cases[1])});
  const Matrix matrix = BuildMatrix(runs);
  const json report = json::parse(JsonReport(matrix, {}));
  const std::string terminal = TerminalReport(matrix, {}), markdown = MarkdownReport(matrix),
                    html = HtmlReport(matrix);
  tinyxml2::XMLDocument junit;
  ASSERT_EQ(junit.Parse(JunitReport(matrix).c_str()), tinyxml2::XML_SUCCESS);
  const tinyxml2::XMLElement* suite =
      junit.FirstChildElement("testsuites")->FirstChildElement("testsuite");

  for (size_t i = 0; i < 2; ++i) {
    const json& reader = report["readers"][i];
    const json& results = reader["results"];
    const auto sum = [&](const std::vector<const char*>& names) {
      uint64_t total = 0;
      for (const char* name : names) total += results[name].get<uint64_t>();
      return total;
    };
    EXPECT_EQ(results["wrong-values"], i == 0 ? 2 : 22);
    EXPECT_EQ(reader["score"]["passed"], sum({"pass", "xpass"}));
    EXPECT_EQ(reader["score"]["judged"], sum({"unsafe", "wrong-values", "false-accept",
                                              "false-reject", "xfail", "pass", "xpass"}));
    EXPECT_EQ(reader["unsafe"]["crash"], results["unsafe"]);

    // Pages list failures; an xpass is listed with them but is none.
    const std::string label = reader["label"];
    const uint64_t failures = sum({"unsafe", "wrong-values", "false-accept", "false-reject"});
    EXPECT_THAT(html, HasSubstr(absl::StrCat("<summary>", label, ": ", failures, " failures<")));
    const size_t begin = html.find(absl::StrCat("<summary>", label, ": "));
    const absl::string_view list =
        absl::string_view(html).substr(begin, html.find("</details>", begin) - begin);
    EXPECT_EQ(Occurrences(list, "<h3>"), 5u);
    uint64_t shown = 0;
    for (const char* name : {"unsafe", "wrong-values", "false-accept", "false-reject", "xpass"}) {
      const uint64_t count = results[name];
      EXPECT_THAT(list, HasSubstr(absl::StrCat("<h3>", name, ": ", count, "</h3>")));
      constexpr uint64_t kShown = 20;
      shown += std::min(count, kShown);
      if (count <= kShown) continue;
      EXPECT_THAT(list, HasSubstr(absl::StrCat("<p>", count - kShown, " more are in")));
    }
    EXPECT_EQ(Occurrences(list, "<li>"), shown);

    const auto score = [](const json& of, const char* judged) {
      return absl::StrCat(of["passed"].get<uint64_t>(), "/", of[judged].get<uint64_t>());
    };
    std::vector<std::string> scores = {score(reader["score"], "judged")};
    for (const json& level : reader["levels"]) {
      if (level["tested"] != 0) scores.push_back(score(level, "tested"));
      EXPECT_EQ(level["tested"].get<uint64_t>() + level["not_tested"].get<uint64_t>(),
                cases[i].size());
    }
    for (const std::string& text : scores) {
      EXPECT_THAT(terminal, HasSubstr(text));
      EXPECT_THAT(markdown, HasSubstr(text));
      EXPECT_THAT(html, HasSubstr("</meter><small>" + absl::StrReplaceAll(text, {{"/", " of "}}) +
                                  "</small>"));
    }
    EXPECT_THAT(terminal, HasSubstr(absl::StrCat(label, ": ", cases[i].size(), " cases")));
    EXPECT_THAT(terminal, HasSubstr(absl::StrCat("[", i + 1, "] unsafe: crash ",
                                                 results["unsafe"].get<uint64_t>(), "\n")));
    EXPECT_THAT(markdown,
                HasSubstr(absl::StrCat("` crash ", results["unsafe"].get<uint64_t>(), " `")));
    EXPECT_THAT(
        html, HasSubstr(absl::StrCat("<td>", results["unsafe"].get<uint64_t>(), "<small>crash ")));

    CheckSuite(*suite);
    EXPECT_EQ(suite->UnsignedAttribute("tests"), cases[i].size());
    EXPECT_EQ(suite->UnsignedAttribute("errors"), sum({"unsafe"}));
    EXPECT_EQ(suite->UnsignedAttribute("failures"),
              sum({"wrong-values", "false-accept", "false-reject", "xpass"}));
    EXPECT_EQ(suite->UnsignedAttribute("skipped"), sum({"xfail", "skip", "not-tested"}));
    suite = suite->NextSiblingElement();
  }
  for (const CaseResultInfo& info : CaseResults()) {
    EXPECT_EQ(Row(terminal, info.name),
              absl::StrCat(report["readers"][0]["results"][info.name].get<uint64_t>(), " ",
                           report["readers"][1]["results"][info.name].get<uint64_t>()));
  }
  EXPECT_THAT(BadgeReport(matrix), HasSubstr(", 1 unsafe<"));
}

TEST(ReportsTest, TheBadgeSaysTheScoreOrThatItIsUnsafe) {
  const auto badge = [](std::vector<CaseRecord> cases) {
    const std::vector<ReaderRun> runs = MergeRuns({SampleLog("one", cases)});
    return BadgeReport(BuildMatrix(runs));
  };
  const CaseRecord pass = SampleRecord("a/1", CaseResult::kPass);
  EXPECT_THAT(badge({pass}), HasSubstr(">100%</text>"));
  EXPECT_THAT(badge({pass, SampleRecord("a/2", CaseResult::kFalseReject)}),
              HasSubstr(">50.0%</text>"));
  EXPECT_THAT(badge({pass, SampleRecord("a/2", CaseResult::kUnsafe)}),
              HasSubstr(">50.0%, 1 unsafe</text>"));
  EXPECT_THAT(badge({SampleRecord("a/1", CaseResult::kInfo)}), HasSubstr(">not tested</text>"));
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.Parse(badge({pass}).c_str()), tinyxml2::XML_SUCCESS);
}

}  // namespace
}  // namespace gguf::readers
