// Writes a page with a collapsible section per file (page/).  The summary is
// known last and is last in the document; the style sheet moves it to the top,
// and the worst files before the others.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/engine/profile.h"
#include "conformance/predict/readers.h"
#include "conformance/report/describe.h"
#include "conformance/report/escape.h"
#include "conformance/report/page/page.h"
#include "conformance/report/page/page_source.h"
#include "conformance/report/project.h"
#include "conformance/report/rule_findings.h"
#include "conformance/report/vulnerabilities.h"
#include "conformance/report/writers.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Where the page's placeholder for files splits it.
constexpr char kFiles[] = "{{files}}";

// Returns a word in the colour of its class.
std::string Word(const char* word) {
  return absl::StrCat("<b class=\"", word, "\">", word, "</b>");
}

// Returns the rule's id, as a link to its page if there is one.
std::string RuleLink(const Rule& rule) {
  const std::string url = RuleUrl(rule.id);
  if (url.empty()) return rule.id;
  return absl::StrCat("<a href=\"", url, "\">", rule.id, "</a>");
}

class HtmlWriter : public ReportWriter {
 public:
  HtmlWriter(const Run& run, std::ostream& out) : run_(run), out_(out) {
    out_ << absl::string_view(page_).substr(0, page_.find(kFiles));
  }

  void Add(const FileReport& file) override;
  void End(const Totals& totals) override;

 private:
  void WriteFindings(const FileReport& file);
  void WriteUnchecked(const FileReport& file);
  void WriteReaders(const FileReport& file);

  const Run run_;
  const std::string page_ = WithStyleAndScript(kCheckPage);
  std::ostream& out_;
};

void HtmlWriter::Add(const FileReport& file) {
  const Result result = ResultOf(file, run_.fail_on);
  out_ << "<details class=\"file " << ResultName(result) << "\""
       << (result == Result::kPass ? "" : " open") << "><summary>"
       << Word(ResultName(result)) << " <code>"
       << HtmlText(Escape(file.path, file.path.size()))
       << "</code> <span class=\"dim\">" << Count(file.counts.error, "error")
       << ", " << Count(file.counts.warning, "warning") << ", "
       << Count(file.counts.note, "note") << "</span></summary>\n";
  const std::string description = Describe(file);
  if (!description.empty()) {
    out_ << "<p class=\"dim\">" << HtmlText(description) << "</p>\n";
  }
  if (!file.about.empty()) {
    out_ << "<p>This is " << HtmlText(file.about) << "</p>\n";
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
  const std::map<const Rule*, std::string> readers =
      VulnerableReadersByRule(file);
  for (const Severity severity :
       {Severity::kError, Severity::kWarning, Severity::kNote}) {
    for (const Finding& finding : file.findings) {
      if (finding.severity != severity) continue;
      const Diagnostic& d = finding.diagnostic;
      const char* name = SeverityName(severity);
      out_ << "<tr class=\"finding\" data-severity=\"" << name
           << "\" data-rule=\"" << d.rule->id << "\"><td>" << Word(name)
           << absl::StrFormat("<td class=\"where\">0x%x<td>", d.where.begin)
           << HtmlText(d.subject) << " " << HtmlText(d.message) << "<td>"
           << RuleLink(*d.rule);
      if (explained.insert(d.rule).second) {
        out_ << "<br><span class=\"dim\">" << HtmlText(d.rule->summary) << " "
             << HtmlText(d.rule->repair);
        const auto vulnerable = readers.find(d.rule);
        if (vulnerable != readers.end()) out_ << " " << vulnerable->second;
        out_ << "</span>";
      }
      out_ << "</tr>\n";
    }
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
       << "version " << kToolVersion << ", profile " << HtmlText(run_.profile);
  if (!run_.compared_with.empty()) {
    out_ << ", compared with "
         << HtmlText(Escape(run_.compared_with, run_.compared_with.size()));
  }
  out_ << "</span></p>\n";
  if (!run_.command.empty()) {
    out_ << "<p class=\"command\">" << HtmlText(run_.date) << " <code>"
         << HtmlText(Escape(run_.command, run_.command.size()))
         << "</code></p>\n";
  }
  if (!totals.unfinished.empty()) {
    out_ << "<p>" << Word("incomplete") << ": " << HtmlText(totals.unfinished)
         << "</p>\n";
  }
  out_ << "</header>"
       << absl::string_view(page_).substr(page_.find(kFiles) + sizeof(kFiles) -
                                          1);
}

}  // namespace

std::unique_ptr<ReportWriter> NewHtmlWriter(const Run& run, std::ostream& out) {
  return std::make_unique<HtmlWriter>(run, out);
}

}  // namespace gguf
