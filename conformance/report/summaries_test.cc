// Tests the reports for GitHub's log and summary, and for a browser.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/report/writers.h"
#include "conformance/rules/readers.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

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

TEST(GithubTest, TheSumComesFirstThenTheWorst) {
  GgufBuilder b;
  b.U32("nodot", 1).U32("nodots", 1).Tensor("w", {32}, 0, 7);
  EXPECT_EQ(
      Written(NewGithubWriter, ReportOn(b.Build(), "a,b.gguf")),
      "::error title=ggufcheck::1 file: 0 pass, 1 fail, 0 incomplete; 1 error, 0 warnings, 2 "
      "notes\n"
      "::error file=a%2Cb.gguf,title=tensor-offset-aligned::tensor[w].offset is 7, not a multiple "
      "of 32 (at byte 0x5c). A tensor's offset shall be a multiple of the alignment.\n"
      "::notice file=a%2Cb.gguf,title=key-namespaced::kv[nodot].key \"nodot\" has no namespace (at "
      "byte 0x18). 2 such findings. A key should begin with a namespace, followed by a dot.\n");
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
      "| error | tensor-offset-aligned | 0x31 | ` tensor[w].offset is 7, not a multiple of 32 ` | "
      "1 |\n");
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
      HasSubstr("<td><b class=\"error\">error</b><td class=\"where\">0x31<td>tensor[w].offset is "
                "7, not a multiple of 32<td><a href="));
  EXPECT_THAT(page, HasSubstr(">tensor-offset-aligned</a><br>"));
  EXPECT_THAT(page, HasSubstr("not checked: 2 rules (a tensor is misplaced"));
  EXPECT_THAT(page,
              HasSubstr("<tr><td>ggml<td>rejects<td>tensor[w].offset tensor-offset-aligned<br>"));
  EXPECT_THAT(page, HasSubstr("<h1>ggufcheck: <b class=\"incomplete\">"));
  EXPECT_THAT(page, HasSubstr("</b>: interrupted</p>"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
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

}  // namespace
}  // namespace gguf
