// Writes a page with a collapsible section per file.  The summary is known last
// and is last in the document; the style sheet moves it to the top.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/engine/profile.h"
#include "conformance/predict/readers.h"
#include "conformance/report/escape.h"
#include "conformance/report/project.h"
#include "conformance/report/rule_findings.h"
#include "conformance/report/writers.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// The page must not load, run or send anything.
constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ggufcheck</title>
<style>
:root { color-scheme: light dark; --bg: #fff; --fg: #1b1f24; --dim: #57606a;
  --line: #d0d7de; --pass: #1a7f37; --fail: #cf222e; --incomplete: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #0d1117; --fg: #e6edf3; --dim: #9198a1; --line: #30363d;
    --pass: #3fb950; --fail: #ff7b72; --incomplete: #d29922; }
}
body { background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif;
  max-width: 70rem; margin: 0 auto; padding: 1rem; display: flex; flex-direction: column; }
header { order: -1; border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
h1 { font-size: 1.4rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .25rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
code, td { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.box { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .6rem .2rem 0; border-top: 1px solid var(--line); }
td.where { white-space: nowrap; }
@media (max-width: 40rem) {
  tr, td { display: block; border: 0; padding: 0; }
  tr { border-top: 1px solid var(--line); padding: .3rem 0; }
  tr:first-child { display: none; }
}
.dim { color: var(--dim); }
.pass { color: var(--pass); } .fail, .error { color: var(--fail); }
.incomplete, .warning { color: var(--incomplete); }
</style>
</head>
<body>
)";

// Returns a word in the colour of its class.
std::string Word(const char* word) {
  return absl::StrCat("<b class=\"", word, "\">", word, "</b>");
}

class HtmlWriter : public ReportWriter {
 public:
  HtmlWriter(const Run& run, std::ostream& out) : run_(run), out_(out) {
    out_ << kHead;
  }

  void Add(const FileReport& file) override;
  void End(const Totals& totals) override;

 private:
  void WriteFindings(const FileReport& file);
  void WriteUnchecked(const FileReport& file);
  void WriteReaders(const FileReport& file);

  const Run run_;
  std::ostream& out_;
};

void HtmlWriter::Add(const FileReport& file) {
  const Result result = ResultOf(file, run_.fail_on);
  out_ << "<details" << (result == Result::kPass ? "" : " open") << "><summary>"
       << Word(ResultName(result)) << " <code>"
       << HtmlText(Escape(file.path, file.path.size()))
       << "</code> <span class=\"dim\">" << Count(file.counts.error, "error")
       << ", " << Count(file.counts.warning, "warning") << ", "
       << Count(file.counts.note, "note") << "</span></summary>\n";
  if (!file.about.empty()) {
    out_ << "<p>This is " << HtmlText(file.about) << "</p>\n";
  }
  if (file.needs) {
    out_ << "<p>Needs " << HtmlText(file.needs->Words()) << "</p>\n";
  }
  if (!file.incomplete.empty()) {
    out_ << "<p>Could not finish: <code>" << HtmlText(file.incomplete)
         << "</code></p>\n";
  }
  if (!file.known.empty()) {
    out_ << "<p>Known: " << KnownCount(file) << "</p>\n";
  }
  if (!file.findings.empty()) WriteFindings(file);
  WriteUnchecked(file);
  if (!file.readers.empty()) WriteReaders(file);
  out_ << "</details>\n";
}

void HtmlWriter::WriteFindings(const FileReport& file) {
  out_ << "<div class=\"box\"><table><tr><th>severity<th>at byte<th>finding"
          "<th>rule</tr>\n";
  std::set<const Rule*> explained;
  for (const Finding& finding : file.findings) {
    const Diagnostic& d = finding.diagnostic;
    out_ << "<tr><td>" << Word(SeverityName(finding.severity))
         << absl::StrFormat("<td class=\"where\">0x%x<td>", d.where.begin)
         << HtmlText(d.subject) << " " << HtmlText(d.message) << "<td>"
         << d.rule->id;
    if (explained.insert(d.rule).second) {
      out_ << "<br><span class=\"dim\">" << HtmlText(d.rule->summary) << " "
           << HtmlText(d.rule->repair) << "</span>";
    }
    out_ << "</tr>\n";
  }
  for (const FileReport::More& more : file.more) {
    out_ << "<tr><td>" << Word(SeverityName(more.severity)) << "<td><td>"
         << more.count << " more<td>" << more.rule->id << "</tr>\n";
  }
  out_ << "</table></div>\n";
}

void HtmlWriter::WriteUnchecked(const FileReport& file) {
  for (const UncheckedRules& unchecked : UncheckedByReason(file)) {
    out_ << "<details><summary>not checked: "
         << Count(unchecked.ids.size(), "rule") << " ("
         << HtmlText(unchecked.why) << ")</summary>"
         << absl::StrJoin(unchecked.ids, ", ") << "</details>\n";
  }
}

void HtmlWriter::WriteReaders(const FileReport& file) {
  out_ << "<div "
          "class=\"box\"><table><tr><th>reader<th>verdict<th>because</tr>\n";
  for (const ReaderVerdict& verdict : file.readers) {
    out_ << "<tr><td>" << HtmlText(verdict.Name()) << "<td>"
         << WordOf(verdict.effect) << "<td>";
    for (const Diagnostic& d : verdict.because) {
      out_ << HtmlText(d.subject) << " " << d.rule->id << "<br>";
    }
    out_ << HtmlText(verdict.why) << "</tr>\n";
  }
  out_ << "</table></div>\n";
}

void HtmlWriter::End(const Totals& totals) {
  out_ << "<header><h1>ggufcheck: " << Word(ResultName(totals)) << "</h1>\n<p>"
       << HtmlText(Summary(totals)) << "<br><span class=\"dim\">"
       << "version " << kToolVersion << ", profile " << HtmlText(run_.profile)
       << "</span></p>\n";
  if (!totals.unfinished.empty()) {
    out_ << "<p>" << Word("incomplete") << ": " << HtmlText(totals.unfinished)
         << "</p>\n";
  }
  out_ << "</header>\n</body>\n</html>\n";
}

}  // namespace

std::unique_ptr<ReportWriter> NewHtmlWriter(const Run& run, std::ostream& out) {
  return std::make_unique<HtmlWriter>(run, out);
}

}  // namespace gguf
